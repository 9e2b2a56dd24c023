// The journals of all Executions, one after the other in one table.

import type Database from 'better-sqlite3'
import type { JournalEntry, NewEntry } from '../engine/journal.ts'
import { entryTypeCodes } from './codes.ts'
import { prepare } from './prepare.ts'
import type { JournalStore } from './store.ts'

type JournalRow = {
  readonly position: number
  readonly at: number
  readonly type: number
  readonly command: number | null
  readonly name: string | null
  readonly attempt: number | null
  readonly source: number | null
  readonly data: string | null
}

const COLUMNS = 'position, at, type, command, name, attempt, source, data'

/** A page ends early before its payloads get larger than this, so that no reader builds an unbounded result. */
const PAGE_BYTES = 8 * 1024 * 1024

const EFFECT_SCHEDULED = entryTypeCodes.toCode('effect_scheduled')

export const createJournalStore = (db: Database.Database): JournalStore => {
  const selectPage = prepare<[number, number, number], JournalRow>(
    db,
    `SELECT ${COLUMNS} FROM journal WHERE execution = ? AND position > ? ORDER BY position LIMIT ?`,
  )
  // Sizes are read from the rows' headers, without the payloads.
  const selectSizes = prepare<[number, number, number], number | null>(
    db,
    'SELECT octet_length(data) FROM journal WHERE execution = ? AND position > ? ORDER BY position LIMIT ?',
  ).pluck()
  const selectEntry = prepare<[number, number], JournalRow>(
    db,
    `SELECT ${COLUMNS} FROM journal WHERE execution = ? AND position = ?`,
  )
  const selectPending = prepare<[number, number], number | null>(
    db,
    'SELECT position FROM pending WHERE execution = ? AND command = ?',
  ).pluck()
  const selectScheduled = prepare<[number, number, number], JournalRow>(
    db,
    `SELECT ${COLUMNS} FROM journal WHERE execution = ? AND command = ? AND type = ?`,
  )

  const entry = (key: number, position: number): JournalEntry | undefined => {
    const row = selectEntry.get(key, position)
    return row === undefined ? undefined : toEntry(row)
  }

  return {
    entry,
    page: (key, afterPosition, limit) => {
      const sizes = selectSizes.all(key, afterPosition, limit + 1)
      const count = fitting(sizes.slice(0, limit))
      return { items: selectPage.all(key, afterPosition, count).map(toEntry), more: sizes.length > count }
    },
    scheduled: (key, command) => {
      const position = selectPending.get(key, command)
      if (typeof position === 'number') return entry(key, position)
      const row = selectScheduled.get(key, command, EFFECT_SCHEDULED)
      return row === undefined ? undefined : toEntry(row)
    },
  }
}

/** How many of these fill a page: at least one, whatever its size. */
const fitting = (sizes: readonly (number | null)[]): number => {
  let bytes = 0
  const tooLarge = sizes.findIndex((size, index) => (bytes += size ?? 0) > PAGE_BYTES && index > 0)
  return tooLarge < 0 ? sizes.length : tooLarge
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

type Draft = { -readonly [Member in keyof JournalEntry]: JournalEntry[Member] }

/** Replay maps thousands of these, hence no spreading. */
const toEntry = (row: JournalRow): JournalEntry => {
  const entry: Draft = { position: row.position, at: row.at, type: entryTypeCodes.toWord(row.type) }
  if (row.command !== null) entry.command = row.command
  if (row.name !== null) entry.name = row.name
  if (row.attempt !== null) entry.attempt = row.attempt
  if (row.source !== null) entry.source = row.source
  if (row.data !== null) entry.data = row.data
  return entry
}
