// What a hosted service tells of a workspace: what it used and pays, its tokens, and what its effects are given.

import { queryOptions } from '@tanstack/react-query'
import type { UsageGrouping } from '#sdk/index.ts'
import { askEvery } from './ask-again.ts'
import { keptData } from './kept-data.ts'
import { queryKey } from './query-keys.ts'
import { whole } from './queries.ts'
import { projectOf, type Scope } from './scope.ts'

const REFRESH_MS = 60_000

/** Of the whole workspace. */
const workspaceWide = (scope: Scope) => ({ ...scope, projectId: null })

export const usageQuery = (
  scope: Scope,
  { from, to, groupBy }: { readonly from: string; readonly to: string; readonly groupBy: readonly UsageGrouping[] },
) =>
  queryOptions({
    queryKey: queryKey(workspaceWide(scope), 'usage', from, to, groupBy),
    queryFn: ({ signal }) => scope.until(signal).anyProject.getUsage({ from, to, groupBy }),
    placeholderData: keptData(workspaceWide(scope)),
    refetchInterval: askEvery(REFRESH_MS),
  })

export const planQuery = (scope: Scope) =>
  queryOptions({
    queryKey: queryKey(workspaceWide(scope), 'plan'),
    queryFn: ({ signal }) => scope.until(signal).anyProject.getBillingPlan(),
  })

export const upcomingInvoiceQuery = (scope: Scope) =>
  queryOptions({
    queryKey: queryKey(workspaceWide(scope), 'upcoming-invoice'),
    queryFn: ({ signal }) => scope.until(signal).anyProject.getUpcomingInvoice(),
    refetchInterval: askEvery(REFRESH_MS),
  })

export const invoicesQuery = (scope: Scope) =>
  queryOptions({
    queryKey: queryKey(workspaceWide(scope), 'invoices'),
    queryFn: ({ signal }) => whole((page) => scope.until(signal).anyProject.listInvoices(page)),
  })

export const workspaceQuery = (scope: Scope) =>
  queryOptions({
    queryKey: queryKey(workspaceWide(scope), 'workspace'),
    queryFn: ({ signal }) => scope.until(signal).anyProject.getWorkspace(),
  })

export const tokensQuery = (scope: Scope) =>
  queryOptions({
    queryKey: queryKey(workspaceWide(scope), 'tokens'),
    queryFn: ({ signal }) => whole((page) => scope.until(signal).anyProject.listTokens(page)),
    refetchInterval: askEvery(REFRESH_MS),
  })

export const environmentQuery = (scope: Scope) =>
  queryOptions({
    queryKey: queryKey(scope, 'environment'),
    queryFn: async ({ signal }) => (await scope.until(signal).client.getEnvironment(projectOf(scope))).items,
  })
