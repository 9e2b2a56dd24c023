// Counts Executions by when they ended, on the index of that time.

import type Database from 'better-sqlite3'
import { ALL_STATUSES, statusCodes } from '../shared/row-codes.ts'
import { noCounts, type Counts } from './counts.ts'
import { MATCHES_VERSION, isAsked, isOfIndex, type FilterParameters } from './execution-filter.ts'
import { prepare } from './prepare.ts'
import { upwards, type Slices, type Span } from './slices.ts'

/** `undefined` for a filter without such a time, or with conditions that the index cannot answer. */
export type CountEnded = (filter: FilterParameters, slices: Slices) => Promise<Counts | undefined>

/** This many are counted in some milliseconds. */
const COUNTED_AT_ONCE = 50_000

export const createCountEnded = (db: Database.Database): CountEnded => {
  type Parameters = FilterParameters & Span & { readonly status: number }
  const select = prepare<[Parameters], number>(
    db,
    `SELECT count(*) FROM executions INDEXED BY executions_by_end
     WHERE status = @status AND finished_at >= @low AND finished_at < @high
       AND created_at > @createdAfter AND created_at < @createdBefore
       AND version IN (SELECT v.key FROM versions v WHERE ${MATCHES_VERSION})`,
  ).pluck()
  const partEnd = prepare<[Span & { readonly status: number }], number>(
    db,
    `SELECT finished_at FROM executions INDEXED BY executions_by_end
     WHERE status = @status AND finished_at >= @low AND finished_at < @high
     ORDER BY finished_at LIMIT 1 OFFSET ${COUNTED_AT_ONCE}`,
  ).pluck()
  const ends = (order: 'ASC' | 'DESC') =>
    prepare<[number], number>(
      db,
      `SELECT finished_at FROM executions INDEXED BY executions_by_end
       WHERE status = ? AND finished_at IS NOT NULL ORDER BY finished_at ${order} LIMIT 1`,
    ).pluck()
  const first = ends('ASC')
  const last = ends('DESC')

  return async (filter, slices) => {
    const { finishedAfter, finishedBefore } = filter
    const hasTime = finishedAfter !== null || finishedBefore !== null
    if (!hasTime || !isOfIndex({ ...filter, finishedAfter: null, finishedBefore: null })) return undefined
    const counts = noCounts()
    for (const word of ALL_STATUSES) {
      const status = statusCodes.toCode(word)
      const newest = last.get(status)
      if (newest === undefined || !isAsked(filter, word)) continue
      const low = Math.max(first.get(status) ?? 0, (finishedAfter ?? -Infinity) + 1)
      const high = Math.min(newest + 1, finishedBefore ?? Infinity)
      await upwards(
        { low, high },
        slices,
        (rest) => partEnd.get({ ...rest, status }),
        (part) => {
          counts[word] += select.get({ ...filter, ...part, status }) ?? 0
        },
      )
    }
    return counts
  }
}
