// Where the keys of the timeline lead: up and down from row to row, left and right from entry to entry of a row.

import type { Command } from '../journal/commands.ts'
import type { EntryLine } from '../journal/entry-line.ts'
import type { Journal } from '../journal/journal.ts'
import { lastAtMost } from '../journal/journal.ts'
import { indexAfter } from '../walk.ts'

/** A lane of moments above the commands. */
export type LaneName = 'execution' | 'events' | 'logs'
export type Lane = { readonly name: LaneName; readonly label: string; readonly lines: readonly EntryLine[] }

export const lanesOf = (journal: Journal): readonly Lane[] => {
  const lines = (types: ReadonlySet<EntryLine['type']>) => journal.lines.filter((line) => types.has(line.type))
  const lanes: readonly Lane[] = [
    { name: 'execution', label: 'Execution', lines: lines(OF_EXECUTION) },
    { name: 'events', label: 'Events received', lines: lines(new Set(['event_received'])) },
    { name: 'logs', label: 'Logs', lines: lines(new Set(['log'])) },
  ]
  return lanes.filter((lane) => lane.lines.length > 0)
}

const OF_EXECUTION: ReadonlySet<EntryLine['type']> = new Set([
  'execution_started',
  'cancel_requested',
  'execution_completed',
  'execution_failed',
  'execution_cancelled',
])

/** Rows are the lanes and then the commands; -1: the entry is in none. */
export const rowOfEntry = (journal: Journal, lanes: readonly Lane[], position: number | undefined): number => {
  const line = position === undefined ? undefined : journal.lineAt(position)
  if (line === undefined) return -1
  const lane = lanes.findIndex((one) => indexIn(one, line.position) >= 0)
  if (lane >= 0) return lane
  const command = line.command === undefined ? undefined : journal.commandOf(line.command)
  return command === undefined ? -1 : lanes.length + lastAtMost(journal.commands, command.number, (one) => one.number)
}

const indexIn = (lane: Lane, position: number): number => {
  const index = lastAtMost(lane.lines, position, (line) => line.position)
  return lane.lines[index]?.position === position ? index : -1
}

/** Positions of the entries that a command's row shows. */
export const entriesOfCommand = (command: Command): readonly number[] => {
  const attempts = command.attempts.flatMap(({ position }) => (position === undefined ? [] : [position]))
  const all = [command.position, ...attempts, ...(command.endPosition === undefined ? [] : [command.endPosition])]
  return [...new Set(all)]
}

/** The entry that a key leads to from another; undefined when it leads nowhere. */
export const entryAfter = (
  key: string,
  journal: Journal,
  lanes: readonly Lane[],
  position: number | undefined,
  page: number,
): number | undefined => {
  const row = rowOfEntry(journal, lanes, position)
  if (key === 'ArrowLeft' || key === 'ArrowRight') {
    if (row < 0) return undefined
    const entries =
      row < lanes.length
        ? lanes[row]!.lines.map((line) => line.position)
        : entriesOfCommand(journal.commands[row - lanes.length]!)
    return entries[entries.indexOf(position!) + (key === 'ArrowRight' ? 1 : -1)]
  }
  const next = indexAfter(key, row, lanes.length + journal.commands.length, page)
  if (next === undefined) return undefined
  return next < lanes.length ? lanes[next]!.lines[0]?.position : journal.commands[next - lanes.length]?.position
}
