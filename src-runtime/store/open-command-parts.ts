// Reads open commands in parts of some thousand. Windows of keys would not do: one Execution may have ten thousand.

import type Database from 'better-sqlite3'
import { prepare } from './prepare.ts'
import { collectParts, upwards, type Slices, type Span } from './slices.ts'

/** Open commands of a part; more if they are all of one Execution. Summing up so many takes some milliseconds. */
export const PART = 4_096
/** Of the first part of a list, of which a page needs few. Parts grow from there. */
const FIRST_PART = 256

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

/** Collects up to `count` keys, newest first. `read` is called for parts, and gets the number of keys still wanted. */
export type CollectByPart = (
  span: Span,
  count: number,
  slices: Slices,
  read: (part: Span, left: number) => readonly number[],
) => Promise<readonly number[]>

/** `commands`: of which the parts are made, as the FROM and WHERE of an open command `p`. */
export const createCollectByPart = (db: Database.Database, commands: OpenCommands): CollectByPart => {
  const selectStart = prepare<[Span & { readonly size: number }], number>(
    db,
    `SELECT p.execution FROM ${commands.from} WHERE ${commands.where} AND ${IN_SPAN}
     ORDER BY p.execution DESC LIMIT 1 OFFSET @size`,
  ).pluck()
  return (span, count, slices, read) => {
    let size = FIRST_PART
    const startOf = (rest: Span) => {
      const start = selectStart.get({ ...rest, size })
      size = Math.min(PART, size * 4)
      return start
    }
    return collectParts(span, count, slices, startOf, read)
  }
}

export type OpenCommands = { readonly from: string; readonly where: string }

export const ALL_OPEN: OpenCommands = { from: 'pending p', where: 'true' }

const IN_SPAN = 'p.execution >= @low AND p.execution < @high'

/**
 * Executions `e` with their versions `v`: those within the span of which a command matches, each once. It may have thousands, so
 * what else must hold for it is checked only once.
 */
export const withOpenCommand = ({ from, where }: OpenCommands): string =>
  `(SELECT DISTINCT p.execution FROM ${from} WHERE ${IN_SPAN} AND ${where}) o
     CROSS JOIN executions e ON e.key = o.execution CROSS JOIN versions v ON v.key = e.version`
