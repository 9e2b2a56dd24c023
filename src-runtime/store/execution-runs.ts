// The index on version and status has a run of keys for each pair. Lists and counts combine these runs.

import type Database from 'better-sqlite3'
import { ALL_STATUSES, statusCodes } from '../shared/row-codes.ts'
import { MATCHES_ROW, MATCHES_VERSION, type FilterParameters } from './execution-filter.ts'
import type { ListParameters } from './list-keys.ts'
import { prepare } from './prepare.ts'
import type { Span } from './slices.ts'

export type Run = { readonly version: number; readonly status: number; readonly newest: number }

export type Runs = {
  /** The runs that may have keys in the span, sorted by their newest key. */
  of(filter: FilterParameters, span: Span): readonly Run[]
  /** Matching keys of one run, newest first. */
  keys(parameters: ListParameters & Run): readonly number[]
  /** Number of one run's keys in the span. */
  size(run: Run, span: Span): number
  /** Number of those that match. */
  matching(filter: FilterParameters, run: Run, span: Span): number
}

const OF_RUN = `executions e INDEXED BY executions_by_version
  WHERE e.version = @version AND e.status = @status AND e.key >= @low AND e.key < @high`

export const createRuns = (db: Database.Database): Runs => {
  const select = prepare<[FilterParameters & Span & { allStatuses: string }], Run>(
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
  const keys = prepare<[ListParameters & Run], number>(
    db,
    `SELECT e.key FROM ${OF_RUN} AND ${MATCHES_ROW} ORDER BY e.key DESC LIMIT @count`,
  ).pluck()
  const size = prepare<[Run & Span], number>(db, `SELECT count(*) FROM ${OF_RUN}`).pluck()
  const matching = prepare<[FilterParameters & Run & Span], number>(
    db,
    `SELECT count(*) FROM ${OF_RUN} AND ${MATCHES_ROW}`,
  ).pluck()
  const allStatuses = JSON.stringify(ALL_STATUSES.map((status) => statusCodes.toCode(status)))

  return {
    of: (filter, span) => (filter.statuses === 0 ? [] : select.all({ ...filter, ...span, allStatuses })),
    keys: (parameters) => keys.all(parameters),
    size: (run, span) => size.get({ ...run, ...span }) ?? 0,
    matching: (filter, run, span) => matching.get({ ...filter, ...run, ...span }) ?? 0,
  }
}
