// Turns changes of the runtime into refreshed queries. Screens that can patch what they show do so themselves.

import { hashKey, type QueryClient, type QueryKey, useQueryClient } from '@tanstack/react-query'
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

/** The Executions and histories that a screen shows now; the others are asked for when they are shown. */
const refreshExecutions = (queries: QueryClient, scope: Scope, changes: readonly ExecutionChange[]): void => {
  const changed = new Set(changes.map((change) => change.executionId))
  const [connection, place] = executionKey(scope, 'execution', '')
  for (const query of queries.getQueryCache().findAll({ queryKey: [connection, place], type: 'active' })) {
    // A longer key is of an entry, which never changes.
    const [, , , id, ...rest] = query.queryKey
    if (typeof id === 'string' && rest.length === 0 && changed.has(id)) refreshOnce(queries, query.queryKey)
  }
}

const underWay = new WeakMap<QueryClient, Map<string, { again: boolean }>>()

/** Never breaks off a request for a newer one: under constant change, a slow server would never get to answer. */
const refreshOnce = (queries: QueryClient, key: QueryKey): void => {
  const runs = underWay.get(queries) ?? new Map<string, { again: boolean }>()
  underWay.set(queries, runs)
  const name = hashKey(key)
  const running = runs.get(name)
  if (running !== undefined) {
    running.again = true
    return
  }
  const run = { again: false }
  runs.set(name, run)
  void queries.invalidateQueries({ queryKey: key, exact: true }).finally(() => {
    runs.delete(name)
    if (run.again) refreshOnce(queries, key)
  })
}
