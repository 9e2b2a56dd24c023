// The first characters of an input, for lists. Small inputs are read from the journal. The row keeps a preview of a
// large one, because SQLite would read the whole value.

import type Database from 'better-sqlite3'
import { inputPreview } from '../engine/input-preview.ts'
import type { JsonText } from '../engine/journal.ts'
import { prepare } from './prepare.ts'

/** Characters of `{ input? }`. */
const SMALL = 2_000

/** The preview in the row of a new Execution. */
export const storedPreview = (data: JsonText): string | null =>
  data.length > SMALL ? (inputPreview(data) ?? null) : null

export const createInputPreview = (db: Database.Database): ((key: number) => string | undefined) => {
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
