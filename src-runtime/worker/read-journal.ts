// Reads from journals what turns need. Every function throws DamagedExecution when an entry is missing.

import { DamagedExecution, missingCommand, missingEntry } from '../engine/damaged-execution.ts'
import type { JournalEntry, JsonText } from '../engine/journal.ts'
import { replayTurns, type ReplayTurn } from '../engine/replay-turns.ts'
import type { JournalStore } from '../store/store.ts'

const ENTRIES_PER_READ = 500

type Journal = Pick<JournalStore, 'entry' | 'recorded'>

/** `{ input? }` */
export const readStart = (journal: Journal, key: number): JsonText => {
  const entry = journal.entry(key, 1)
  if (entry?.type !== 'execution_started' || entry.data === undefined) throw missingEntry(1, 'execution_started')
  return entry.data
}

/** The data of an `event_received`. */
export const readEvent = (journal: Journal, key: number, position: number): JsonText => {
  const entry = journal.entry(key, position)
  if (entry?.type !== 'event_received' || entry.data === undefined) throw missingEntry(position, 'event_received')
  return entry.data
}

/** The data of an `effect_scheduled`. */
export const readEffect = (journal: Pick<JournalStore, 'scheduled'>, key: number, command: number): JsonText => {
  const entry = journal.scheduled(key, command)
  if (entry?.type !== 'effect_scheduled' || entry.data === undefined) throw missingCommand(command)
  return entry.data
}

/** The turns up to a command, which the journal must hold for the Execution to continue. */
export function* recordedTurns(
  journal: Journal,
  key: number,
  { turns: count, lastCommand }: { readonly turns: number; readonly lastCommand: number },
): Generator<ReplayTurn> {
  let read = 0
  let command = 0
  for (const turn of replayTurns(readAll(journal, key), (position) => readEvent(journal, key, position))) {
    if (read === count) return
    if (read === 0 && turn.delivery.kind !== 'start') throw missingEntry(1, 'execution_started')
    read += 1
    command = turn.expected.at(-1)?.command ?? command
    if (read === count && command !== lastCommand) throw missingCommand(command + 1)
    yield turn
  }
  if (read === 0 && count > 0) throw missingEntry(1, 'execution_started')
  if (read < count) throw new DamagedExecution(`the history holds ${read} turns of ${count}`)
}

function* readAll(journal: Journal, key: number): Generator<JournalEntry> {
  let position = 0
  for (;;) {
    const page = journal.recorded(key, position, ENTRIES_PER_READ)
    yield* page.items
    if (!page.more) return
    position = page.items.at(-1)!.position
  }
}
