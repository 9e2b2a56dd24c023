// How many Executions there are of each status. Counted anew each time, on the index alone where the filter allows it:
// that is some tens of nanoseconds an Execution, and costs a start nothing.

import type Database from 'better-sqlite3'
import type { Status } from '../engine/journal.ts'
import { divideByAge } from './attention.ts'
import { ALL_STATUSES, statusCodes } from './codes.ts'
import { WAITING, filterOf, isOfIndex, rangeOf, withStatuses, type FilterParameters } from './execution-filter.ts'
import { createListByEnd, createListByPending } from './execution-indexes.ts'
import type { FindKeys } from './execution-list.ts'
import { ALL } from './list-keys.ts'
import { createRuns, type Run, type Runs } from './execution-runs.ts'
import { prepare } from './prepare.ts'
import { createSlices, downwards, type Slices, type Span } from './slices.ts'
import type { ExecutionCounts, ExecutionFilter } from './store.ts'
import type { Timeline } from './timeline.ts'

type Counts = Record<Status, number>

export const createCountExecutions = (options: {
  readonly db: Database.Database
  readonly timeline: Timeline
  readonly findKeys: FindKeys
  readonly lastKey: () => number
  readonly now: () => number
}): ((query: ExecutionFilter) => Promise<ExecutionCounts>) => {
  const { db, timeline, findKeys, lastKey, now } = options
  const runs = createRuns(db)
  const retries = createListByPending(db, 'retries')
  const countStatuses = createCountStatuses(db)
  const byEnd = createListByEnd(db)

  const countByRuns = async (query: ExecutionFilter): Promise<Counts> => {
    const filter = filterOf(query, now())
    const range = rangeOf(query, timeline, { low: 0, high: lastKey() + 1 })
    const counts = noCounts()
    const slices = createSlices()
    const sure = isOfIndex(filter) ? sureSpans(query, range, timeline) : []
    for (const run of runs.of(filter, range)) {
      const status = statusCodes.toWord(run.status)
      counts[status] += await countRun(runs, filter, run, range, sure, slices)
    }
    return counts
  }

  /** Those that wait and need attention; who failed is counted anyway. */
  const countWaiting = async (query: ExecutionFilter): Promise<number> => {
    const filter = withStatuses(filterOf({ ...query, needsAttention: true }, now()), WAITING)
    const range = rangeOf(query, timeline, { low: 0, high: lastKey() + 1 })
    const { old, young } = divideByAge(filter, range, timeline)
    const slices = createSlices()
    let count = 0
    for (const run of runs.of(filter, old)) count += await countRun(runs, filter, run, old, [], slices)
    return count + (filter.statuses === 0 ? 0 : (await retries(filter, young, ALL, slices)).length)
  }

  const countFound = async (query: ExecutionFilter): Promise<Counts | undefined> => {
    if ((query.text !== undefined && query.text !== '') || query.errorFingerprint !== undefined) {
      return countStatuses(await findKeys(query, ALL))
    }
    const ended = byEnd(filterOf(query, now()), { low: 0, high: lastKey() + 1 }, ALL)
    return ended === undefined ? undefined : countStatuses(ended)
  }

  return async (query) => {
    const found = await countFound(query)
    if (found === undefined) {
      const counts = await countByRuns(query)
      return { counts, needsAttention: counts.failed + (await countWaiting(query)) }
    }
    return { counts: found, needsAttention: (await findKeys({ ...query, needsAttention: true }, ALL)).length }
  }
}

const noCounts = (): Counts => Object.fromEntries(ALL_STATUSES.map((status) => [status, 0])) as Counts

/** Where every key matches, so that the rows need not be looked at. */
const sureSpans = (query: ExecutionFilter, range: Span, timeline: Timeline): readonly Span[] => {
  const { createdAfter, createdBefore } = query
  if (createdAfter === undefined && createdBefore === undefined) return [range]
  return timeline.surelyCreatedWithin({ after: createdAfter ?? -Infinity, before: createdBefore ?? Infinity })
}

const countRun = async (
  runs: Runs,
  filter: FilterParameters,
  run: Run,
  range: Span,
  sure: readonly Span[],
  slices: Slices,
): Promise<number> => {
  let count = 0
  const add = async (span: Span, sizeOf: (window: Span) => number) => {
    await downwards(span, slices, (window) => {
      count += sizeOf(window)
      return 'go_on'
    })
  }
  let low = range.low
  for (const span of sure) {
    await add({ low, high: span.low }, (window) => runs.matching(filter, run, window))
    await add(span, (window) => runs.size(run, window))
    low = span.high
  }
  await add({ low, high: Math.min(range.high, run.newest + 1) }, (window) => runs.matching(filter, run, window))
  return count
}

const KEYS_AT_ONCE = 2_000

const createCountStatuses = (db: Database.Database) => {
  const select = prepare<[string], { readonly status: number; readonly count: number }>(
    db,
    `SELECT e.status AS status, count(*) AS count FROM json_each(?) k CROSS JOIN executions e ON e.key = k.value
     GROUP BY e.status`,
  )
  return async (keys: readonly number[]): Promise<Counts> => {
    const counts = noCounts()
    const slices = createSlices()
    for (let from = 0; from < keys.length; from += KEYS_AT_ONCE) {
      for (const { status, count } of select.all(JSON.stringify(keys.slice(from, from + KEYS_AT_ONCE)))) {
        counts[statusCodes.toWord(status)] += count
      }
      await slices.breathe()
    }
    return counts
  }
}
