// Reads open commands in parts of some thousand. Windows of keys would not do: one Execution may have ten thousand.

import type Database from 'better-sqlite3'
import { prepare } from './prepare.ts'
import { upwards, type Slices, type Span } from './slices.ts'

/** Open commands of a part; more if they are all of one Execution. Summing up so many takes some milliseconds. */
export const PART = 4_096

/** `look` is called for parts that together are the span, and every Execution is in one of them. */
export type ReadParts = (span: Span, slices: Slices, look: (part: Span) => void) => Promise<void>

export const createReadParts = (db: Database.Database): ReadParts => {
  const selectEnd = prepare<[Span], number>(
    db,
    `SELECT execution FROM pending WHERE execution >= @low AND execution < @high
     ORDER BY execution, command LIMIT 1 OFFSET ${PART}`,
  ).pluck()
  return (span, slices, look) => upwards(span, slices, (rest) => selectEnd.get(rest), look)
}
