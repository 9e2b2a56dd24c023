// Keyboard navigation of the timeline: up and down between rows, left and right between the entries of a row.

import type { Command } from '../journal/commands.ts'
import type { EntryLine } from '../journal/entry-line.ts'
import { indexOfKey, type Journal, lastAtMost, type MomentKind } from '../journal/journal.ts'
import { indexAfter } from '../../index-after.ts'

/** A lane of point-in-time entries above the commands. */
export type Lane = { readonly name: MomentKind; readonly label: string; readonly lines: readonly EntryLine[] }

export const lanesOf = ({ moments }: Journal): readonly Lane[] => {
  const lanes: readonly Lane[] = [
    { name: 'execution', label: 'Execution', lines: moments.execution },
    { name: 'events', label: 'Events received', lines: moments.events },
    { name: 'logs', label: 'Logs', lines: moments.logs },
  ]
  return lanes.filter((lane) => lane.lines.length > 0)
}

/** One command, or many of one effect that ran at the same time. */
export type CommandRow =
  | { readonly kind: 'command'; readonly command: Command; readonly isMember: boolean }
  | { readonly kind: 'group'; readonly commands: readonly Command[]; readonly isOpen: boolean }

const LEAST_GROUP = 5

/** Groups commands, which are sorted by number. `open` holds the first number of each open group. */
export const commandRows = (commands: readonly Command[], open: ReadonlySet<number>): readonly CommandRow[] => {
  const rows: CommandRow[] = []
  let index = 0
  while (index < commands.length) {
    const end = endOfFanOut(commands, index)
    const some = commands.slice(index, end)
    const isGroup = some.length >= LEAST_GROUP
    const isOpen = isGroup && open.has(some[0]!.number)
    if (isGroup) rows.push({ kind: 'group', commands: some, isOpen })
    if (!isGroup || isOpen) for (const command of some) rows.push({ kind: 'command', command, isMember: isGroup })
    index = end
  }
  return rows
}

/**
 * The index after the last command of a fan-out: the same effect, begun before all earlier ones had ended. Positions say
 * so, because one that is called after another begins in the millisecond in which that ends.
 */
const endOfFanOut = (commands: readonly Command[], first: number): number => {
  const { kind, name, position } = commands[first]!
  let until = position
  let index = first
  while (index < commands.length) {
    const next = commands[index]!
    if (next.kind !== kind || next.name !== name || next.position > until) break
    until = Math.max(until, next.endPosition ?? Number.POSITIVE_INFINITY)
    index += 1
  }
  return index
}

export const firstOf = (row: CommandRow): Command => (row.kind === 'group' ? row.commands[0]! : row.command)

/** The lanes, and below them the commands. */
export type TimelineRows = {
  readonly journal: Journal
  readonly lanes: readonly Lane[]
  readonly rows: readonly CommandRow[]
}

/** Returns -1 when no row has the entry. */
export const rowOfEntry = ({ journal, lanes, rows }: TimelineRows, position: number | undefined): number => {
  const line = position === undefined ? undefined : journal.lineAt(position)
  if (line === undefined) return -1
  const lane = lanes.findIndex(({ lines }) => indexOfKey(lines, line.position, (one) => one.position) >= 0)
  if (lane >= 0 || line.command === undefined) return lane
  const index = lastAtMost(rows, line.command, (row) => firstOf(row).number)
  const row = rows[index]
  return row !== undefined && holds(row, line.command) ? lanes.length + index : -1
}

const holds = (row: CommandRow, number: number): boolean => {
  if (row.kind === 'command') return row.command.number === number
  return indexOfKey(row.commands, number, (command) => command.number) >= 0
}

/** The entry that represents a row. */
export const positionOfRow = ({ lanes, rows }: TimelineRows, index: number): number | undefined => {
  if (index < lanes.length) return lanes[index]?.lines[0]?.position
  const row = rows[index - lanes.length]
  return row === undefined ? undefined : firstOf(row).position
}

const entriesOfRow = ({ lanes, rows }: TimelineRows, index: number): readonly number[] => {
  if (index < lanes.length) return lanes[index]!.lines.map((line) => line.position)
  const row = rows[index - lanes.length]!
  return row.kind === 'group' ? row.commands.flatMap(entriesOf) : entriesOf(row.command)
}

const entriesOf = ({ position, attempts, endPosition }: Command): readonly number[] => {
  const ends = attempts.flatMap((attempt) => (attempt.position === undefined ? [] : [attempt.position]))
  return [...new Set([position, ...ends, ...(endPosition === undefined ? [] : [endPosition])])]
}

/** The entry that a key selects from another; undefined when there is none. */
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
  const next = indexAfter(key, row, rows.lanes.length + rows.rows.length, page)
  if (next === undefined) return undefined
  // The row of an open group represents its first command, which has a row of its own below.
  const to = rows.rows[next - rows.lanes.length]
  const isOpenGroup = to?.kind === 'group' && to.isOpen
  return positionOfRow(rows, isOpenGroup && key === 'ArrowUp' ? next - 1 : next)
}

/** The rows with something between two times. */
export const commandsBetween = (commands: readonly Command[], from: number, to: number): readonly Command[] =>
  commands.filter((command) => command.from <= to && (command.to ?? Number.POSITIVE_INFINITY) >= from)
