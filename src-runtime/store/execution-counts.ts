// Counts Executions by status for any filter: on an index where possible, otherwise by finding the rows.

import type Database from 'better-sqlite3'
import { createCountAttention } from './attention.ts'
import { ALL_STATUSES, statusCodes } from '../shared/row-codes.ts'
import { createCountEnded, type CountEnded } from './count-ended.ts'
import { noCounts, type Counts } from './counts.ts'
import {
  FAILED,
  filterOf,
  isAsked,
  isOfIndex,
  isOfVersions,
  rangeOf,
  withStatuses,
  type FilterParameters,
} from './execution-filter.ts'
import { createListByEnd } from './execution-indexes.ts'
import type { FindKeys } from './execution-list.ts'
import { createRuns, type Run, type Runs } from './execution-runs.ts'
import { ALL } from './list-keys.ts'
import { prepare } from './prepare.ts'
import { createSlices, downwards, type Slices, type Span } from './slices.ts'
import type { StatusCounts } from './status-counts.ts'
import type { ExecutionFilter } from '../ports/overview.ts'
import type { Timeline } from './timeline.ts'
import type { WaitingBlocks } from './waiting-blocks.ts'

export const createCountExecutions = (options: {
  readonly db: Database.Database
  readonly timeline: Timeline
  readonly findKeys: FindKeys
  readonly statusCounts: StatusCounts
  readonly blocks: WaitingBlocks
  readonly lastKey: () => number
  readonly now: () => number
}) => {
  const { db, timeline, findKeys, statusCounts, blocks, lastKey, now } = options
  const runs = createRuns(db)
  const ended = createListByEnd(db)
  const countEnded: CountEnded = createCountEnded(db)
  const countFound = createCountFound(db)
  const countAttention = createCountAttention(db, timeline, blocks)

  const read = (query: ExecutionFilter) => {
    const filter = filterOf(query, now())
    return { filter, range: rangeOf(query, timeline, { low: 0, high: lastKey() + 1 }), slices: createSlices() }
  }

  const countByRuns = async (query: ExecutionFilter): Promise<Counts> => {
    const { filter, range, slices } = read(query)
    const counts = noCounts()
    let left = filter
    if (isOfVersions(filter)) {
      // Only failed Executions have an error message.
      left = withStatuses(filter, filter.notErrorText === null ? 0 : FAILED)
      Object.assign(counts, statusCounts.of({ ...filter, statuses: filter.statuses & ~left.statuses }))
    }
    const sure = left.statuses === 0 ? [] : surelyCreated(query, timeline)
    for (const run of runs.of(left, range)) {
      const status = statusCodes.toWord(run.status)
      const ofRun = status === 'failed' ? filter : { ...filter, notErrorText: null }
      counts[status] += await countRun(runs, ofRun, run, range, isOfIndex(ofRun) ? sure : [], slices)
    }
    return counts
  }

  const countAwaiting = async (query: ExecutionFilter): Promise<number> => {
    if (query.errorFingerprint !== undefined || query.triggerId !== undefined) return 0
    if (query.text !== undefined || query.label !== undefined || query.againOf !== undefined) {
      const waiting = (query.statuses ?? ALL_STATUSES).filter((status) => status === 'waiting')
      return (await findKeys({ ...query, needsAttention: true, statuses: waiting }, ALL)).length
    }
    const { filter, range, slices } = read({ ...query, needsAttention: true })
    return countAttention(filter, range, slices)
  }

  const countStatuses = async (query: ExecutionFilter): Promise<Counts> => {
    if (query.triggerId !== undefined) return noCounts()
    if (
      query.text !== undefined ||
      query.label !== undefined ||
      query.againOf !== undefined ||
      query.errorFingerprint !== undefined
    ) {
      return countFound(await findKeys(query, ALL))
    }
    if (query.needsAttention === true) {
      const { failed } = await countStatuses({ ...query, needsAttention: false })
      const { filter } = read({ ...query, statuses: query.statuses ?? ALL_STATUSES })
      return { ...noCounts(), failed: isAsked(filter, 'failed') ? failed : 0, waiting: await countAwaiting(query) }
    }
    if (query.waitingKind !== undefined || query.waitingName !== undefined) {
      return countFound(await findKeys(query, ALL))
    }
    const { filter, range, slices } = read(query)
    const counted = await countEnded(filter, slices)
    if (counted !== undefined) return counted
    const few = ended(filter, range, ALL)
    return few === undefined ? countByRuns(query) : countFound(few)
  }

  return { countStatuses, countAwaiting }
}

const surelyCreated = ({ createdAfter, createdBefore }: ExecutionFilter, timeline: Timeline): readonly Span[] =>
  timeline.surelyCreatedWithin({ after: createdAfter ?? -Infinity, before: createdBefore ?? Infinity })

/** Counts on the index alone where every key surely matches. */
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

const createCountFound = (db: Database.Database) => {
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
      await slices.yieldIfDue()
    }
    return counts
  }
}
