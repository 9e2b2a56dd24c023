// Selects the rows of the History tab: all entries, or one row per command with its outcome; then applies the filter.

import type { HistoryEntryType } from '#sdk/index.ts'
import type { EntryLine } from '../journal/entry-line.ts'
import { indexOfKey, type Journal } from '../journal/journal.ts'

export const ENTRY_KINDS = ['execution', 'effect', 'timer', 'wait', 'event', 'log'] as const
export type EntryKind = (typeof ENTRY_KINDS)[number]

export type HistoryFilter = {
  readonly view: 'compact' | 'full'
  /** Any of these; empty: all. */
  readonly kinds: readonly EntryKind[]
  /** The name of an effect or event; undefined for any. */
  readonly name: string | undefined
}

const KIND_OF: Readonly<Record<HistoryEntryType, EntryKind>> = {
  execution_started: 'execution',
  effect_scheduled: 'effect',
  effect_attempt_failed: 'effect',
  effect_completed: 'effect',
  effect_failed: 'effect',
  timer_scheduled: 'timer',
  timer_fired: 'timer',
  wait_scheduled: 'wait',
  wait_timed_out: 'wait',
  event_received: 'event',
  event_delivered: 'wait',
  log: 'log',
  cancel_requested: 'execution',
  execution_completed: 'execution',
  execution_failed: 'execution',
  execution_cancelled: 'execution',
}

export const kindOf = (type: HistoryEntryType): EntryKind => KIND_OF[type]

/** Entries that end a command; the compact view shows them in the command's row. */
const FOLDED: ReadonlySet<HistoryEntryType> = new Set([
  'effect_attempt_failed',
  'effect_completed',
  'effect_failed',
  'timer_fired',
  'wait_timed_out',
  'event_delivered',
])

/** The line whose row shows an entry. */
export const rowOf = (journal: Journal, line: EntryLine, view: HistoryFilter['view']): EntryLine => {
  if (view === 'full' || line.command === undefined || !FOLDED.has(line.type)) return line
  const command = journal.commandOf(line.command)
  return (command && journal.lineAt(command.position)) ?? line
}

/** The lines to show, in history order. `matches` tests the search text. */
export const historyRows = (
  journal: Journal,
  filter: HistoryFilter,
  matches: ((line: EntryLine) => boolean) | undefined,
): readonly EntryLine[] => {
  const isWanted = (line: EntryLine): boolean =>
    (filter.kinds.length === 0 || filter.kinds.includes(kindOf(line.type))) &&
    (filter.name === undefined || line.name === filter.name) &&
    (matches === undefined || matches(line))
  const isFiltered = filter.kinds.length > 0 || filter.name !== undefined || matches !== undefined
  if (filter.view === 'full') return isFiltered ? journal.lines.filter(isWanted) : journal.lines
  if (!isFiltered) return journal.lines.filter((line) => rowOf(journal, line, 'compact') === line)
  const shown = new Set<EntryLine>()
  for (const line of journal.lines) if (isWanted(line)) shown.add(rowOf(journal, line, 'compact'))
  // A row is placed by the start of its command, even when only a later entry matches the filter.
  return journal.lines.filter((line) => shown.has(line))
}

/** The names of effects and events, sorted. */
export const namesIn = (journal: Journal): readonly string[] => {
  const names = new Set<string>()
  for (const line of journal.lines) if (line.name !== undefined) names.add(line.name)
  return [...names].toSorted()
}

/** The index of the row that shows a position; -1 when none does. */
export const rowIndexOf = (
  journal: Journal,
  rows: readonly EntryLine[],
  position: number | undefined,
  view: HistoryFilter['view'],
): number => {
  const line = position === undefined ? undefined : journal.lineAt(position)
  if (line === undefined) return -1
  return indexOfKey(rows, rowOf(journal, line, view).position, (row) => row.position)
}
