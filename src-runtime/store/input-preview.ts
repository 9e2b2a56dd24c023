// The first characters of an input, for lists. A small input is read from the journal; SQLite reads a large value whole,
// so the row keeps the preview of a large one.

import type Database from 'better-sqlite3'
import { inputPreview } from '../engine/input-preview.ts'
import type { JsonText } from '../engine/journal.ts'
import { prepare } from './prepare.ts'
import type { ExecutionStore } from './store.ts'

/** Characters of `{ input? }`. */
const SMALL = 2_000

/** What the row of a new Execution keeps. */
export const storedPreview = (data: JsonText): string | null =>
  data.length > SMALL ? (inputPreview(data) ?? null) : null

export const createInputPreview = (db: Database.Database): ExecutionStore['inputPreview'] => {
  const select = prepare<[number], { readonly stored: string | null; readonly data: string | null }>(
    db,
    `SELECT e.input_preview AS stored, CASE WHEN e.input_preview IS NULL THEN j.data END AS data
     FROM executions e JOIN journal j ON j.execution = e.key AND j.position = 1 WHERE e.key = ?`,
  )
  return (key) => {
    const row = select.get(key)
    return row?.stored ?? inputPreview(row?.data ?? '')
  }
}
