// The journals of all Executions, in one table.

import type Database from 'better-sqlite3'
import type { JournalEntry, NewEntry } from '../engine/journal.ts'
import { toEntry, type EntryRow } from '../shared/entry-rows.ts'
import { entryTypeCodes } from '../shared/row-codes.ts'
import { prepare } from './prepare.ts'
import type { Page } from '../ports/page.ts'
import type { JournalStore } from './store.ts'

const COLUMNS = 'position, at, type, command, name, attempt, source, data'

/** A page ends before its payloads exceed this, so that results are bounded. */
const PAGE_LENGTH = 8 * 1024 * 1024
/** The same for replays, of which hundreds may wait for a process with a page in memory. */
const RECORDED_LENGTH = 1024 * 1024

const NOT_REPLAYED = (['log', 'effect_attempt_failed', 'event_received'] as const).map(entryTypeCodes.toCode).join(', ')
const EFFECT_SCHEDULED = entryTypeCodes.toCode('effect_scheduled')

export const createJournalStore = (db: Database.Database): JournalStore => {
  const selectPage = prepare<[number, number, number], EntryRow>(
    db,
    `SELECT ${COLUMNS} FROM journal WHERE execution = ? AND position > ? ORDER BY position LIMIT ?`,
  )
  const selectRecorded = prepare<[number, number, number], EntryRow>(
    db,
    `SELECT ${COLUMNS} FROM journal WHERE execution = ? AND position > ? AND type NOT IN (${NOT_REPLAYED})
       ORDER BY position LIMIT ?`,
  )
  const selectEntry = prepare<[number, number], EntryRow>(
    db,
    `SELECT ${COLUMNS} FROM journal WHERE execution = ? AND position = ?`,
  )
  const selectOpen = prepare<[number, number, number], EntryRow>(
    db,
    `SELECT ${COLUMNS} FROM journal
       WHERE execution = ? AND position = (SELECT position FROM pending WHERE execution = ? AND command = ?)`,
  )
  const selectScheduled = prepare<[number, number, number], EntryRow>(
    db,
    `SELECT ${COLUMNS} FROM journal WHERE execution = ? AND command = ? AND type = ?`,
  )

  return {
    entry: (key, position) => {
      const row = selectEntry.get(key, position)
      return row === undefined ? undefined : toEntry(row)
    },
    page: (key, afterPosition, limit) =>
      readPage(selectPage.iterate(key, afterPosition, limit + 1), limit, PAGE_LENGTH),
    recorded: (key, afterPosition, limit) =>
      readPage(selectRecorded.iterate(key, afterPosition, limit + 1), limit, RECORDED_LENGTH),
    scheduled: (key, command) => {
      const row = selectOpen.get(key, key, command) ?? selectScheduled.get(key, command, EFFECT_SCHEDULED)
      return row === undefined ? undefined : toEntry(row)
    },
  }
}

/** At least one entry, whatever its size. */
const readPage = (rows: Iterable<EntryRow>, limit: number, longest: number): Page<JournalEntry> => {
  const items: JournalEntry[] = []
  let length = 0
  for (const row of rows) {
    length += row.data?.length ?? 0
    if (items.length === limit || (length > longest && items.length > 0)) return { items, more: true }
    items.push(toEntry(row))
  }
  return { items, more: false }
}

export type AppendEntry = (key: number, position: number, entry: NewEntry) => void

export const createAppendEntry = (db: Database.Database): AppendEntry => {
  const insert = prepare(db, `INSERT INTO journal (execution, ${COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`)
  return (key, position, entry) => {
    insert.run(
      key,
      position,
      entry.at,
      entryTypeCodes.toCode(entry.type),
      entry.command ?? null,
      entry.name ?? null,
      entry.attempt ?? null,
      entry.source ?? null,
      entry.data ?? null,
    )
  }
}
