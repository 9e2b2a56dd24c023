// Turns changes of the runtime into refreshed queries. Screens that can patch what they show do so themselves.

import { useQueryClient, type QueryClient } from '@tanstack/react-query'
import { useRef } from 'react'
import type { ExecutionChange } from '#sdk/index.ts'
import { useChanges } from '../api/live.ts'
import { executionKey, type Noun, queryKey } from '../api/query-keys.ts'
import { type Scope, useScope } from '../api/scope.ts'

/** Summaries of many Executions: worth a look now and then, not with each of 500 changes a second. */
const SUMMARIES: readonly Noun[] = ['counts', 'waiting', 'errors']
const SUMMARY_EVERY_MS = 1_000

export const LiveCache = (): null => {
  const scope = useScope()
  const queries = useQueryClient()
  const summaries = useRef<ReturnType<typeof setTimeout>>(undefined)

  useChanges((changes) => {
    if (changes.length === 0) return void queries.invalidateQueries()
    refreshExecutions(queries, scope, changes)
    summaries.current ??= setTimeout(() => {
      summaries.current = undefined
      for (const noun of SUMMARIES) void queries.invalidateQueries({ queryKey: queryKey(scope, noun) })
    }, SUMMARY_EVERY_MS)
  })
  return null
}

const refreshExecutions = (queries: QueryClient, scope: Scope, changes: readonly ExecutionChange[]): void => {
  for (const id of new Set(changes.map((change) => change.executionId))) {
    void queries.invalidateQueries({ queryKey: executionKey(scope, 'execution', id) })
    void queries.invalidateQueries({ queryKey: executionKey(scope, 'history', id) })
  }
}
