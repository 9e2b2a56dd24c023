// Histories for tests: the golden ones, and ones written by hand.

import approval from '../../../../../fixtures/journals/approval.json' with { type: 'json' }
import races from '../../../../../fixtures/journals/clock-random-and-races.json' with { type: 'json' }
import cancelledSaga from '../../../../../fixtures/journals/refund-saga-cancelled.json' with { type: 'json' }
import fanout from '../../../../../fixtures/journals/reminder-fanout.json' with { type: 'json' }
import type { HistoryEntry, JsonValue, List } from '#sdk/index.ts'
import { createJournal, type Journal } from './journal.ts'
import type { ReadPage } from './journal-reader.ts'

const GOLDEN = {
  approval,
  'clock-random-and-races': races,
  'refund-saga-cancelled': cancelledSaga,
  'reminder-fanout': fanout,
}

export const golden = (name: keyof typeof GOLDEN): readonly HistoryEntry[] =>
  GOLDEN[name].history as readonly HistoryEntry[]

export const START = Date.UTC(2026, 0, 1)

/** With any data, of which a test names only what it needs. */
type Written = Omit<HistoryEntry, 'position' | 'at' | 'data'> & {
  readonly afterMs: number
  readonly data?: JsonValue
}

/** Entries at these milliseconds after START, numbered from 1. */
export const written = (...entries: Written[]): readonly HistoryEntry[] =>
  entries.map(
    ({ afterMs, ...entry }, index) =>
      ({ position: index + 1, at: new Date(START + afterMs).toISOString(), ...entry }) as HistoryEntry,
  )

export const journalOf = (entries: readonly HistoryEntry[]): Journal => {
  const journal = createJournal()
  journal.append(entries, null)
  return journal
}

/** Answers like the service: opaque cursors, null on the last page, never more entries than the limit. */
export const serve = (history: readonly HistoryEntry[]) => {
  const asked: { readonly limit: number; readonly cursor: string | null }[] = []
  const readPage: ReadPage = async (page): Promise<List<HistoryEntry>> => {
    asked.push(page)
    const start = page.cursor === null ? 0 : Number(page.cursor.slice('behind '.length))
    const items = history.slice(start, start + page.limit)
    const more = start + items.length < history.length
    return { items, nextCursor: more ? `behind ${start + items.length}` : null }
  }
  return { readPage, asked }
}
