// Counts of Executions by version and status, in memory. They are read at the first request, in slices, and updated
// with every later write.

import type Database from 'better-sqlite3'
import type { Status } from '../engine/journal.ts'
import { statusCodes } from '../shared/row-codes.ts'
import { prepare } from './prepare.ts'
import { downwards, type Slices, type Span } from './slices.ts'

type Pair = { readonly version: number; readonly status: number }

export type StatusCounts = {
  /** Call it in the transaction of the change. Without `from` the Execution is new, without `to` it is deleted. */
  readonly moved: (version: number, key: number, from: Status | undefined, to: Status | undefined) => void
  readonly of: (pair: Pair, slices: Slices) => Promise<number>
  /** After a rollback. */
  readonly forget: () => void
}

/** Keys from `low` on are in the count. */
type Counted = { count: number; low: number; loading: Promise<void> }

const STATUSES = 8

export const createStatusCounts = (db: Database.Database, lastKey: () => number): StatusCounts => {
  const size = prepare<[Pair & Span], number>(
    db,
    `SELECT count(*) FROM executions INDEXED BY executions_by_version
     WHERE version = @version AND status = @status AND key >= @low AND key < @high`,
  ).pluck()
  const known = new Map<number, Counted>()

  const add = (version: number, status: Status, key: number, difference: 1 | -1): void => {
    const counted = known.get(version * STATUSES + statusCodes.toCode(status))
    if (counted !== undefined && key >= counted.low) counted.count += difference
  }

  const count = ({ version, status }: Pair, slices: Slices): Counted => {
    const high = lastKey() + 1
    const counted: Counted = { count: 0, low: high, loading: Promise.resolve() }
    counted.loading = downwards({ low: 0, high }, slices, (window) => {
      counted.count += size.get({ version, status, ...window }) ?? 0
      counted.low = window.low
      return 'go_on'
    })
    return counted
  }

  return {
    moved: (version, key, from, to) => {
      if (known.size === 0) return
      if (from !== undefined) add(version, from, key, -1)
      if (to !== undefined) add(version, to, key, 1)
    },
    of: async (pair, slices) => {
      const name = pair.version * STATUSES + pair.status
      for (;;) {
        const counted = known.get(name) ?? count(pair, slices)
        known.set(name, counted)
        await counted.loading
        if (known.get(name) === counted) return counted.count
      }
    },
    forget: () => known.clear(),
  }
}
