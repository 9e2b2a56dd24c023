// Reads from journals what turns need. Every function throws DamagedExecution when an entry is missing.

import { missingCommand, missingEntry } from '../engine/damaged-execution.ts'
import type { JournalEntry, JsonText } from '../engine/journal.ts'
import { withPayload } from '../engine/plan-deliveries.ts'
import { replayTurns, type ReplayTurn } from '../engine/replay-turns.ts'
import type { Delivery, PlannedDelivery } from '../engine/turn.ts'
import type { JournalStore } from '../store/store.ts'
import type { RecentPayloads } from './recent-payloads.ts'
import { createRecordedTurns, type RecordedRow } from './recorded-turns.ts'

const ENTRIES_PER_READ = 500

type Journal = Pick<JournalStore, 'entry' | 'recorded'>

/** `{ input? }` */
export const readStart = (journal: Journal, key: number): JsonText => {
  const entry = journal.entry(key, 1)
  if (entry?.type !== 'execution_started' || entry.data === undefined) throw missingEntry(1, 'execution_started')
  return entry.data
}

/** The data of an `event_received`. */
const readEvent = (journal: Journal, key: number, position: number): JsonText => {
  const entry = journal.entry(key, position)
  if (entry?.type !== 'event_received' || entry.data === undefined) throw missingEntry(position, 'event_received')
  return entry.data
}

/** Completes events with their payloads. */
export const readDeliveries = (
  journal: Journal,
  payloads: RecentPayloads,
  key: number,
  planned: readonly PlannedDelivery[],
): readonly Delivery[] =>
  planned.map((delivery) => {
    if (delivery.kind !== 'event') return delivery
    return withPayload(delivery, payloads.take(delivery.eventId) ?? readEvent(journal, key, delivery.source))
  })

/** The data of an `effect_scheduled`. */
export const readEffect = (journal: Pick<JournalStore, 'scheduled'>, key: number, command: number): JsonText => {
  const entry = journal.scheduled(key, command)
  if (entry?.type !== 'effect_scheduled' || entry.data === undefined) throw missingCommand(command)
  return entry.data
}

/** The turns that the row counts, which the journal must hold for the Execution to continue, in parts. */
export function* recordedParts(journal: Journal, key: number, row: RecordedRow): Generator<readonly ReplayTurn[]> {
  const recorded = createRecordedTurns(row)
  for (const turn of replayTurns(readAll(journal, key), (position) => readEvent(journal, key, position))) {
    if (!recorded.add(turn)) break
    const part = recorded.takeFull()
    if (part !== undefined) yield part
  }
  yield recorded.end()
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
