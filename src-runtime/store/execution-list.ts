// Lists Executions. With any filter, the first page of a million Executions must be fast. The newest rows are read
// first, which is enough for most pages. The rest comes from the most selective index, most often by merging that
// index's runs for each matching version and status.
//
// Plain indexes by version and time and by status and time would replace this, and cost every start: the store's CPU for
// an Execution that completes rises from 39 to 48 µs, and what it writes from 970 to 1,340 bytes.

import type Database from 'better-sqlite3'
import { createListAttention } from './attention.ts'
import type { ChangedKeys } from './changed-keys.ts'
import {
  ROW_MATCHES,
  filterOf,
  rangeOf,
  withErrorText,
  withIdPrefix,
  type FilterParameters,
} from './execution-filter.ts'
import { createListByAgain, createListByEnd, createListByError, createListByPending } from './execution-indexes.ts'
import { createRuns, type Runs } from './execution-runs.ts'
import { timesOfIdPrefix } from '../shared/id-time.ts'
import { ALL, descending, newestOf, type ListKeys, type ListParameters } from './list-keys.ts'
import type { LabelSearch } from './label-search.ts'
import { prepare } from './prepare.ts'
import { collect, createSlices, overlap, type Slices, type Span } from './slices.ts'
import type { ExecutionFilter } from '../ports/overview.ts'
import { createSearchTexts } from './text-search.ts'
import type { Timeline } from './timeline.ts'
import type { WaitingBlocks } from './waiting-blocks.ts'

/** How many of the newest rows are read before an index is used. */
const LOOKED_AT = 1_000

/** An id's prefix is looked up when fewer Executions than this have it. Otherwise reading the newest rows is faster. */
const RARE = 2_000

/** Keys of up to `count` matching Executions below `beforeKey`, newest first. */
export type FindKeys = (
  query: ExecutionFilter & { readonly beforeKey?: number },
  count: number,
) => Promise<readonly number[]>

export const createFindKeys = (options: {
  readonly db: Database.Database
  readonly timeline: Timeline
  readonly blocks: WaitingBlocks
  readonly labelSearch: LabelSearch
  readonly changed: ChangedKeys
  readonly matchKeys: MatchKeys
  readonly lastKey: () => number
  readonly now: () => number
}): FindKeys => {
  const { db, timeline, blocks, labelSearch, changed, matchKeys, lastKey, now } = options
  const newest = createNewest(db, createRuns(db))
  const byId = createById(db, timeline, newest)
  const byError = createByErrorText(db, newest)
  const byLabel = labelSearch.find(newest)
  const byGroup = createListByError(db)
  const byAgain = createListByAgain(db)
  const byEnd = createListByEnd(db)
  const withEffects = createWithEffects(db)
  const waiting = createWaiting(blocks, createListByPending(db, 'all'))
  const attention = createListAttention(db, timeline, newest)

  const find = async (query: ExecutionFilter, filter: FilterParameters, range: Span, count: number) => {
    const slices = createSlices()
    if (query.label !== undefined) {
      const lists: (readonly number[])[] = []
      for (const one of filtersOf(query, filter)) lists.push(await byLabel(one, range, count, slices))
      return newestOf(lists, count)
    }
    if (query.text !== undefined && query.text !== '') {
      const ids = await byId(filter, query.text, range, count, slices)
      return newestOf([ids, await byError(filter, query.text, range, count, slices)], count)
    }
    if (query.againOf !== undefined) return byAgain(filter, range, count, slices)
    if (query.errorFingerprint !== undefined) return byGroup(filter, range, count, slices)
    if (query.needsAttention === true) return attention(filter, range, count, slices)
    if (query.waitingKind === 'effect') return withEffects(filter, range, count, slices)
    if (filter.waitingKind !== null || filter.waitingName !== null) return waiting(filter, range, count, slices)
    return byEnd(filter, range, count) ?? newest(filter, range, count, slices)
  }

  return async (query, count) => {
    const filter = filterOf(query, now())
    const range = rangeOf(query, timeline, { low: 0, high: Math.min(query.beforeKey ?? Infinity, lastKey() + 1) })
    if (filter.statuses === 0 || range.low >= range.high) return []
    const meanwhile = changed.collect(range)
    try {
      const keys = await find(query, filter, range, count)
      if (meanwhile.keys.size === 0) return keys
      const moved = [...matchKeys(query, [...meanwhile.keys])].sort(descending)
      return newestOf([keys, moved], count)
    } finally {
      meanwhile.stop()
    }
  }
}

/** The filter, or, for a text, one for ids and one for errors. */
const filtersOf = ({ text = '' }: ExecutionFilter, filter: FilterParameters): readonly FilterParameters[] =>
  text === '' ? [filter] : [withIdPrefix(filter, text), withErrorText(filter, text)]

/** Which of these keys match now. The index that found a key may have been read before its row changed. */
export type MatchKeys = (query: ExecutionFilter, keys: readonly number[]) => ReadonlySet<number>

export const createMatchKeys = (db: Database.Database, now: () => number): MatchKeys => {
  const select = prepare<[FilterParameters & Span & { readonly keys: string }], number>(
    db,
    `SELECT e.key FROM json_each(@keys) k CROSS JOIN executions e ON e.key = k.value
       CROSS JOIN versions v ON v.key = e.version
     WHERE ${ROW_MATCHES}`,
  ).pluck()
  return (query, keys) => {
    const filters = filtersOf(query, filterOf(query, now()))
    const asked = { low: 0, high: ALL, keys: JSON.stringify(keys) }
    return new Set(filters.flatMap((one) => select.all({ ...one, ...asked })))
  }
}

const createNewest = (db: Database.Database, runs: Runs): ListKeys => {
  const rowByRow = prepare<[ListParameters], number>(
    db,
    `SELECT e.key FROM executions e NOT INDEXED CROSS JOIN versions v ON v.key = e.version
       WHERE ${ROW_MATCHES}
       ORDER BY e.key DESC LIMIT @count`,
  ).pluck()

  return async (filter, range, count, slices) => {
    if (filter.statuses === 0 || range.low >= range.high) return []
    const middle = Math.max(range.low, range.high - LOOKED_AT)
    const keys = rowByRow.all({ ...filter, low: middle, high: range.high, count })
    if (keys.length === count || middle === range.low) return keys
    const older = await merge(runs, filter, { low: range.low, high: middle }, count - keys.length, slices)
    return keys.concat(older)
  }
}

const merge = async (
  runs: Runs,
  filter: FilterParameters,
  range: Span,
  count: number,
  slices: Slices,
): Promise<readonly number[]> => {
  let keys: number[] = []
  for (const run of runs.of(filter, range)) {
    // Runs are sorted by their newest key: once that is too low, no later run has a match.
    const low = keys.length < count ? range.low : keys.at(-1)! + 1
    if (run.newest < low) break
    const ofRun = await collect({ low, high: run.newest + 1 }, count, slices, (window, left) =>
      runs.keys({ ...filter, ...run, ...window, count: left }),
    )
    keys = keys.concat(ofRun).sort(descending).slice(0, count)
  }
  return keys
}

const createWithEffects = (db: Database.Database): ListKeys => {
  const firstAttempts = createListByPending(db, 'firstAttempts')
  const retries = createListByPending(db, 'retries')
  return async (filter, range, count, slices) => {
    const first = await firstAttempts(filter, range, count, slices)
    return newestOf([first, await retries(filter, range, count, slices)], count)
  }
}

/** Skips the blocks in which nothing waits for it. */
const createWaiting =
  (blocks: WaitingBlocks, list: ListKeys): ListKeys =>
  async (filter, range, count, slices) => {
    const { waitingKind, waitingName } = filter
    const spans = blocks.mayHold(
      range,
      ({ kind, name }) =>
        (waitingKind === null || kind === waitingKind) && (waitingName === null || name === waitingName),
    )
    let keys: readonly number[] = []
    for (const span of spans) {
      if (keys.length === count) break
      keys = keys.concat(await list(filter, span, count - keys.length, slices))
    }
    return keys
  }

type ListByText = (
  filter: FilterParameters,
  text: string,
  range: Span,
  count: number,
  slices: Slices,
) => Promise<readonly number[]>

const createById = (db: Database.Database, timeline: Timeline, newest: ListKeys): ListByText => {
  const countIds = prepare<[FilterParameters], number>(
    db,
    `SELECT count(*) FROM (SELECT 1 FROM executions e WHERE e.id >= @idFrom AND e.id < @idBelow LIMIT ${RARE})`,
  ).pluck()
  const selectByIds = prepare<[ListParameters], number>(
    db,
    `SELECT e.key FROM executions e INDEXED BY sqlite_autoindex_executions_1 CROSS JOIN versions v
         ON v.key = e.version
       WHERE ${ROW_MATCHES}
       ORDER BY e.key DESC LIMIT @count`,
  ).pluck()

  return async (anyFilter, text, range, count, slices) => {
    const filter = withIdPrefix(anyFilter, text)
    const matches = countIds.get(filter) ?? 0
    if (matches === 0) return []
    if (matches < RARE) return selectByIds.all({ ...filter, ...range, count })
    const times = timesOfIdPrefix(text)
    return newest(filter, times === undefined ? range : overlap(range, timeline.idsWithin(times)), count, slices)
  }
}

const createByErrorText = (db: Database.Database, newest: ListKeys): ListByText => {
  const searchErrors = createSearchTexts(db, 'error')
  return async (anyFilter, text, range, count, slices) => {
    const filter = withErrorText(anyFilter, text)
    if (filter.statuses === 0) return []
    return (
      (await searchErrors(filter.errorText ?? '', filter, range, count, slices)) ?? newest(filter, range, count, slices)
    )
  }
}
