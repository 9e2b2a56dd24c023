// Reads queries again when the service reports changes to them. Lists of Executions update their own rows.

import { type Query, type QueryKey, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { askEverythingAgain, readAgain, readEverythingAgain } from '../api/ask-again.ts'
import { useChanges } from '../api/live.ts'
import type { LiveBatch } from '../api/live-changes.ts'
import { SUMMARY_EVERY_MS } from '../api/program-queries.ts'
import type { Noun } from '../api/query-keys.ts'
import { throttled, type Throttled } from '../api/throttled.ts'

/** The first change shows at once. Under constant change, an Execution and its history would be drawn again with each of them. */
const EXECUTION_EVERY_MS = 150
const EXECUTION_SELDOM_MS = 1_000
const COUNTS_EVERY_MS = 1_000
const PROGRAMS_EVERY_MS = 250
const TRIGGERS_EVERY_MS = 2_000

/** `seldomMs`: under constant change. */
type Pace = { readonly everyMs: number; readonly seldomMs: number }

/** How often such changes may refetch a query; undefined when they do not concern it. */
export const paceOf = ([, project, noun, subject, ...rest]: QueryKey, batch: LiveBatch): Pace | undefined => {
  const { programs, source, runtime } = batch
  // Without an id it is the default project, whose id the key does not have.
  const isOfOne = project !== null && project !== 'any'
  const executions = isOfOne ? batch.executions.filter(({ projectId }) => projectId === project) : batch.executions
  const when = (concerned: boolean, everyMs: number, seldomMs = everyMs) =>
    concerned ? { everyMs, seldomMs } : undefined
  switch (noun as Noun) {
    case 'execution':
    case 'history':
      // A longer key belongs to a history entry, which never changes.
      return when(
        rest.length === 0 && executions.some(({ executionId }) => executionId === subject),
        EXECUTION_EVERY_MS,
        EXECUTION_SELDOM_MS,
      )
    case 'runs-again':
      return when(
        executions.some(({ programId }) => subject === null || programId === subject),
        COUNTS_EVERY_MS,
      )
    case 'counts':
    case 'waiting':
    case 'errors':
      return when(executions.length > 0, COUNTS_EVERY_MS)
    case 'triggers':
      return when(executions.length > 0, TRIGGERS_EVERY_MS)
    case 'firings':
      return when(
        executions.some(({ programId }) => programId === subject),
        COUNTS_EVERY_MS,
      )
    case 'volume':
    case 'last-run':
      return when(
        executions.some(({ programId }) => programId === subject),
        SUMMARY_EVERY_MS,
      )
    case 'programs':
    case 'program':
    case 'versions':
      return when(programs, PROGRAMS_EVERY_MS)
    case 'source':
      return when(source, PROGRAMS_EVERY_MS)
    case 'runtime':
      return when(runtime, 0)
    default:
      return undefined
  }
}

export const LiveCache = (): null => {
  const queries = useQueryClient()
  // Never aborts a request for a newer one: under constant change, a slow server would never answer.
  const [refreshes] = useState(() => new WeakMap<Query, Throttled>())
  const refresh = (query: Query, { everyMs, seldomMs }: Pace) => {
    const refreshing = refreshes.get(query) ?? throttled(() => readAgain(queries, query), everyMs, seldomMs)
    refreshes.set(query, refreshing)
    refreshing.request()
  }
  useChanges((batch) => {
    if (batch.anything === 'missed') return askEverythingAgain(queries)
    if (batch.anything === 'polled') return readEverythingAgain(queries)
    for (const query of queries.getQueryCache().getAll()) {
      // One that no screen shows is read again when one does, also a moment after it was read.
      const isShown = query.isActive()
      if (!isShown && query.state.isInvalidated) continue
      const pace = paceOf(query.queryKey, batch)
      if (pace === undefined) continue
      if (isShown) refresh(query, pace)
      else query.invalidate()
    }
  })
  return null
}
