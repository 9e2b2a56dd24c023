// Counts of Executions by version and status, in a table. Each transaction adds what its callers changed.

import type Database from 'better-sqlite3'
import type { Status } from '../engine/journal.ts'
import { statusCodes } from '../shared/row-codes.ts'
import { noCounts, type Counts } from './counts.ts'
import { MATCHES_VERSION, type FilterParameters } from './execution-filter.ts'
import { prepare } from './prepare.ts'

/** `version` is its key. */
export type StatusMove =
  /** Without `from` the Execution is new, without `to` it is deleted. */
  | { readonly version: number; readonly from?: Status; readonly to?: Status }
  /** The version is removed, and its counts with it. */
  | { readonly version: number; readonly isRemoved: true }

export type StatusCounts = {
  /** Call it in the transaction of the changes. */
  readonly write: (moves: readonly StatusMove[]) => void
  /** For a filter that uses versions and statuses only. */
  readonly of: (filter: FilterParameters) => Counts
}

const STATUSES = 8

export const createStatusCounts = (db: Database.Database): StatusCounts => {
  const add = prepare<[number, number, number]>(
    db,
    `INSERT INTO status_counts (version, status, count) VALUES (?, ?, ?)
     ON CONFLICT (version, status) DO UPDATE SET count = count + excluded.count`,
  )
  const remove = prepare<[number]>(db, 'DELETE FROM status_counts WHERE version = ?')
  const select = prepare<[FilterParameters], { readonly status: number; readonly count: number }>(
    db,
    `SELECT c.status AS status, sum(c.count) AS count FROM versions v CROSS JOIN status_counts c ON c.version = v.key
     WHERE ${MATCHES_VERSION} AND ((@statuses >> c.status) & 1) = 1 GROUP BY c.status`,
  )

  return {
    write: (moves) => {
      for (const [pair, difference] of differencesOf(moves)) {
        if (difference !== 0) add.run(Math.floor(pair / STATUSES), pair % STATUSES, difference)
      }
      // Last: its Executions may have been deleted in the same transaction.
      for (const move of moves) if ('isRemoved' in move) remove.run(move.version)
    },
    of: (filter) => {
      const counts = noCounts()
      for (const { status, count } of select.all(filter)) counts[statusCodes.toWord(status)] = count
      return counts
    },
  }
}

/** By version and status in one number. Many changes cancel each other out: what one start queues, a turn takes. */
const differencesOf = (moves: readonly StatusMove[]): ReadonlyMap<number, number> => {
  const differences = new Map<number, number>()
  const add = (version: number, status: Status | undefined, difference: 1 | -1): void => {
    if (status === undefined) return
    const pair = version * STATUSES + statusCodes.toCode(status)
    differences.set(pair, (differences.get(pair) ?? 0) + difference)
  }
  for (const move of moves) {
    if ('isRemoved' in move) continue
    add(move.version, move.from, -1)
    add(move.version, move.to, 1)
  }
  return differences
}
