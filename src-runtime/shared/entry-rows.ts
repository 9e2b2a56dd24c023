// Rows of journals, as both stores keep them.

import type { JournalEntry } from '../engine/journal.ts'
import { entryTypeCodes } from './row-codes.ts'

export type EntryRow = {
  readonly position: number
  readonly at: number
  readonly type: number
  readonly command: number | null
  readonly name: string | null
  readonly attempt: number | null
  readonly source: number | null
  readonly data: string | null
}

type Draft = { -readonly [Member in keyof JournalEntry]: JournalEntry[Member] }

/** Replay maps thousands of rows, so this avoids spreading. */
export const toEntry = (row: EntryRow): JournalEntry => {
  const entry: Draft = { position: row.position, at: row.at, type: entryTypeCodes.toWord(row.type) }
  if (row.command !== null) entry.command = row.command
  if (row.name !== null) entry.name = row.name
  if (row.attempt !== null) entry.attempt = row.attempt
  if (row.source !== null) entry.source = row.source
  if (row.data !== null) entry.data = row.data
  return entry
}
