// Where the keys of the timeline lead: up and down from row to row, left and right from entry to entry of a row.

import type { Command } from '../journal/commands.ts'
import type { EntryLine } from '../journal/entry-line.ts'
import { type Journal, lastAtMost, type MomentKind } from '../journal/journal.ts'
import { indexAfter } from '../walk.ts'

/** A lane of moments above the commands. */
export type Lane = { readonly name: MomentKind; readonly label: string; readonly lines: readonly EntryLine[] }

export const lanesOf = ({ moments }: Journal): readonly Lane[] => {
  const lanes: readonly Lane[] = [
    { name: 'execution', label: 'Execution', lines: moments.execution },
    { name: 'events', label: 'Events received', lines: moments.events },
    { name: 'logs', label: 'Logs', lines: moments.logs },
  ]
  return lanes.filter((lane) => lane.lines.length > 0)
}

/** The lanes, and below them commands in the order of their numbers. */
export type TimelineRows = {
  readonly journal: Journal
  readonly lanes: readonly Lane[]
  readonly commands: readonly Command[]
}

/** -1: the entry is in none of the rows. */
export const rowOfEntry = (rows: TimelineRows, position: number | undefined): number => {
  const { journal, lanes, commands } = rows
  const line = position === undefined ? undefined : journal.lineAt(position)
  if (line === undefined) return -1
  const lane = lanes.findIndex((one) => indexIn(one, line.position) >= 0)
  if (lane >= 0 || line.command === undefined) return lane
  const index = lastAtMost(commands, line.command, (command) => command.number)
  return commands[index]?.number === line.command ? lanes.length + index : -1
}

const indexIn = (lane: Lane, position: number): number => {
  const index = lastAtMost(lane.lines, position, (line) => line.position)
  return lane.lines[index]?.position === position ? index : -1
}

/** The entry that stands for a row. */
export const positionOfRow = ({ lanes, commands }: TimelineRows, row: number): number | undefined =>
  row < lanes.length ? lanes[row]?.lines[0]?.position : commands[row - lanes.length]?.position

const entriesOfRow = ({ lanes, commands }: TimelineRows, row: number): readonly number[] => {
  if (row < lanes.length) return lanes[row]!.lines.map((line) => line.position)
  const { position, attempts, endPosition } = commands[row - lanes.length]!
  const ends = attempts.flatMap((attempt) => (attempt.position === undefined ? [] : [attempt.position]))
  return [...new Set([position, ...ends, ...(endPosition === undefined ? [] : [endPosition])])]
}

/** The entry that a key leads to from another; undefined when it leads nowhere. */
export const entryAfter = (
  key: string,
  rows: TimelineRows,
  position: number | undefined,
  page: number,
): number | undefined => {
  const row = rowOfEntry(rows, position)
  if (key === 'ArrowLeft' || key === 'ArrowRight') {
    if (row < 0) return undefined
    const entries = entriesOfRow(rows, row)
    return entries[entries.indexOf(position!) + (key === 'ArrowRight' ? 1 : -1)]
  }
  const next = indexAfter(key, row, rows.lanes.length + rows.commands.length, page)
  return next === undefined ? undefined : positionOfRow(rows, next)
}

/** Those of which something lies between two times. */
export const commandsBetween = (commands: readonly Command[], from: number, to: number): readonly Command[] =>
  commands.filter((command) => command.from <= to && (command.to ?? Number.POSITIVE_INFINITY) >= from)
