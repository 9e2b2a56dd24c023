// Counts of Executions by version and status, in a table. Each transaction adds what its callers changed.

import type Database from 'better-sqlite3'
import type { Status } from '../engine/journal.ts'
import { statusCodes } from '../shared/row-codes.ts'
import { prepare } from './prepare.ts'

/** Without `from` the Execution is new, without `to` it is deleted. `version` is its key. */
export type StatusMove = { readonly version: number; readonly from?: Status; readonly to?: Status }

type Pair = { readonly version: number; readonly status: number }

export type StatusCounts = {
  /** Call it in the transaction of the changes. */
  readonly write: (moves: readonly StatusMove[]) => void
  readonly of: (pair: Pair) => number
}

const STATUSES = 8

export const createStatusCounts = (db: Database.Database): StatusCounts => {
  const add = prepare<[number, number, number]>(
    db,
    `INSERT INTO status_counts (version, status, count) VALUES (?, ?, ?)
     ON CONFLICT (version, status) DO UPDATE SET count = count + excluded.count`,
  )
  const select = prepare<[number, number], number>(
    db,
    'SELECT count FROM status_counts WHERE version = ? AND status = ?',
  ).pluck()

  return {
    write: (moves) => {
      for (const [pair, difference] of differencesOf(moves)) {
        if (difference !== 0) add.run(Math.floor(pair / STATUSES), pair % STATUSES, difference)
      }
    },
    of: ({ version, status }) => select.get(version, status) ?? 0,
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
  for (const { version, from, to } of moves) {
    add(version, from, -1)
    add(version, to, 1)
  }
  return differences
}
