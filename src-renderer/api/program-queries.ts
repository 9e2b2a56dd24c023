// The queries of the Programs screens: how often a Program runs and fails, and the errors of its sources.

import { queryOptions } from '@tanstack/react-query'
import type { ExecutionCounts, ExecutionStatus } from '#sdk/index.ts'
import { isTerminal } from './capabilities.ts'
import { queryKey } from './query-keys.ts'
import { ofRuntime } from './runtime-query.ts'
import type { Scope } from './scope.ts'

/** Hundreds of Executions may change in a second; their sums are read at most this often. */
export const SUMMARY_EVERY_MS = 5_000

export type Volume = {
  readonly total: number
  readonly active: number
  readonly failed: number
  readonly ended: number
}

export const volumeOf = ({ counts }: ExecutionCounts): Volume => {
  const entries = Object.entries(counts) as [ExecutionStatus, number][]
  const sum = (which: (status: ExecutionStatus) => boolean) =>
    entries.reduce((total, [status, number]) => (which(status) ? total + number : total), 0)
  return {
    total: sum(() => true),
    active: sum((status) => !isTerminal(status)),
    failed: counts.failed,
    ended: sum((status) => isTerminal(status)),
  }
}

/** For one Program, or for one of its versions. */
export const volumeQuery = (scope: Scope, programId: string, version?: number) =>
  queryOptions({
    queryKey: queryKey(scope, 'volume', programId, version ?? null),
    queryFn: async ({ signal }) => volumeOf(await scope.until(signal).client.countExecutions({ programId, version })),
    staleTime: SUMMARY_EVERY_MS,
  })

export const lastRunQuery = (scope: Scope, programId: string) =>
  queryOptions({
    queryKey: queryKey(scope, 'last-run', programId),
    queryFn: async ({ signal }) =>
      (await scope.until(signal).client.listExecutions({ programId, limit: 1 })).items[0] ?? null,
    staleTime: SUMMARY_EVERY_MS,
  })

/** null: this server compiles no sources. */
export const sourceQuery = (scope: Scope) =>
  queryOptions({
    queryKey: queryKey(scope, 'source'),
    queryFn: ({ signal }) => ofRuntime(scope, () => scope.until(signal).client.getSource()),
  })

/** Neither a version nor its artifact ever changes. */
export const artifactQuery = (scope: Scope, programId: string, number: number) =>
  queryOptions({
    queryKey: queryKey(scope, 'artifact', programId, number),
    queryFn: ({ signal }) => scope.until(signal).client.getProgramArtifact(programId, number),
    staleTime: Number.POSITIVE_INFINITY,
  })
