// The list's first page has to come at once among a million Executions, whatever the filter, from one index. First the
// newest rows are looked at, one by one: that is all most pages need. What is still missing comes from the index, as a
// merge of its runs, one for each version and status that match.

import type Database from 'better-sqlite3'
import { ALL_STATUSES, statusCodes } from './codes.ts'
import { createSearchErrors } from './error-search.ts'
import {
  MATCHES_ROW,
  MATCHES_STATUS,
  MATCHES_VERSION,
  filterOf,
  overlap,
  rangeOf,
  withErrorText,
  withIdPrefix,
} from './execution-filter.ts'
import type { FilterParameters } from './execution-filter.ts'
import { timesOfIdPrefix } from './id-time.ts'
import { prepare } from './prepare.ts'
import type { ExecutionQuery } from './store.ts'
import type { KeyRange, Timeline } from './timeline.ts'

/** How many of the newest rows are looked at before the index is asked. */
const LOOKED_AT = 1_000

/** An id's prefix that fewer Executions than this have is looked up; otherwise they are soon met. */
const RARE = 2_000

type Parameters = FilterParameters & KeyRange & { readonly count: number }

/** Answers the keys of up to `count` Executions that match, newest first. */
export type ListKeys = (query: ExecutionQuery, count: number) => readonly number[]

export const createListKeys = (db: Database.Database, timeline: Timeline, lastKey: () => number): ListKeys => {
  const newest = createNewest(db)
  const byId = createById(db, timeline, newest)
  const byError = createByError(db, newest)

  return (query, count) => {
    const filter = filterOf(query)
    const range = rangeOf(query, timeline, lastKey())
    if (query.text === undefined || query.text === '') return newest(filter, range, count)
    const keys = new Set([...byId(filter, query.text, range, count), ...byError(filter, query.text, range, count)])
    return [...keys].sort(descending).slice(0, count)
  }
}

type Newest = (filter: FilterParameters, range: KeyRange, count: number) => readonly number[]

const createNewest = (db: Database.Database): Newest => {
  const rowByRow = prepare<[Parameters], number>(
    db,
    `SELECT e.key FROM executions e CROSS JOIN versions v ON v.key = e.version
       WHERE e.key >= @low AND e.key < @high AND ${MATCHES_STATUS} AND ${MATCHES_ROW} AND ${MATCHES_VERSION}
       ORDER BY e.key DESC LIMIT @count`,
  ).pluck()
  const merge = createMerge(db)

  return (filter, range, count) => {
    if (filter.statuses === 0 || range.low >= range.high) return []
    const middle = Math.max(range.low, range.high - LOOKED_AT)
    const keys = rowByRow.all({ ...filter, low: middle, high: range.high, count })
    if (keys.length === count || middle === range.low) return keys
    return [...keys, ...merge(filter, { low: range.low, high: middle }, count - keys.length)]
  }
}

type Run = { readonly version: number; readonly status: number; readonly newest: number }

const createMerge = (db: Database.Database): Newest => {
  const selectRuns = prepare<[Parameters & { allStatuses: string }], Run>(
    db,
    `SELECT version, status, newest FROM (
       SELECT v.key AS version, s.value AS status,
         (SELECT e.key FROM executions e INDEXED BY executions_by_version
          WHERE e.version = v.key AND e.status = s.value AND e.key < @high ORDER BY e.key DESC LIMIT 1) AS newest
       FROM versions v CROSS JOIN json_each(@allStatuses) s
       WHERE ${MATCHES_VERSION} AND ((@statuses >> s.value) & 1) = 1
         AND EXISTS (SELECT 1 FROM executions e INDEXED BY executions_by_version WHERE e.version = v.key))
     WHERE newest >= @low ORDER BY newest DESC`,
  )
  const selectOfRun = prepare<[Parameters & Run], number>(
    db,
    `SELECT e.key FROM executions e INDEXED BY executions_by_version
       WHERE e.version = @version AND e.status = @status AND e.key >= @low AND e.key <= @newest AND ${MATCHES_ROW}
       ORDER BY e.key DESC LIMIT @count`,
  ).pluck()
  const allStatuses = JSON.stringify(ALL_STATUSES.map((status) => statusCodes.toCode(status)))

  return (filter, range, count) => {
    const parameters = { ...filter, ...range, count }
    let keys: number[] = []
    for (const run of selectRuns.all({ ...parameters, allStatuses })) {
      // The runs come by their newest key: once that is too old, none behind it has anything.
      const oldest = keys.length < count ? range.low : keys.at(-1)! + 1
      if (run.newest < oldest) break
      const ofRun = selectOfRun.all({ ...parameters, ...run, low: oldest })
      keys = [...keys, ...ofRun].sort(descending).slice(0, count)
    }
    return keys
  }
}

type Text = (filter: FilterParameters, text: string, range: KeyRange, count: number) => readonly number[]

const createById = (db: Database.Database, timeline: Timeline, newest: Newest): Text => {
  const countIds = prepare<[FilterParameters], number>(
    db,
    `SELECT count(*) FROM (SELECT 1 FROM executions e WHERE e.id >= @idFrom AND e.id < @idBelow LIMIT ${RARE})`,
  ).pluck()
  const selectByIds = prepare<[Parameters], number>(
    db,
    `SELECT e.key FROM executions e INDEXED BY sqlite_autoindex_executions_1 CROSS JOIN versions v
         ON v.key = e.version
       WHERE e.key >= @low AND e.key < @high AND ${MATCHES_STATUS} AND ${MATCHES_ROW} AND ${MATCHES_VERSION}
       ORDER BY e.key DESC LIMIT @count`,
  ).pluck()

  return (anyFilter, text, range, count) => {
    const filter = withIdPrefix(anyFilter, text)
    const matches = countIds.get(filter) ?? 0
    if (matches === 0) return []
    if (matches < RARE) return selectByIds.all({ ...filter, ...range, count })
    const times = timesOfIdPrefix(text)
    return newest(filter, times === undefined ? range : overlap(range, timeline.idsWithin(times)), count)
  }
}

const createByError = (db: Database.Database, newest: Newest): Text => {
  const searchErrors = createSearchErrors(db)
  return (anyFilter, text, range, count) => {
    const filter = withErrorText(anyFilter, text)
    if (filter.statuses === 0) return []
    return searchErrors(filter, range, count) ?? newest(filter, range, count)
  }
}

const descending = (one: number, other: number): number => other - one
