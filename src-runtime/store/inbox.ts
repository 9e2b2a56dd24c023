// Received events that were not delivered yet. Their payloads stay in the journal until delivery, because an Execution
// may have thousands of buffered events, of up to a megabyte each.

import type Database from 'better-sqlite3'
import type { BufferedEvent } from '../engine/execution-state.ts'
import type { JsonText, NewEntry } from '../engine/journal.ts'
import { prepare } from './prepare.ts'

export type Inbox = {
  /** Returns the bytes of its data. */
  readonly insert: (key: number, position: number, entry: NewEntry) => number
  /** Returns the bytes of its data; `undefined` when there is no such event. */
  readonly remove: (key: number, position: number) => number | undefined
  readonly removeAll: (key: number) => void
  readonly of: (key: number) => readonly BufferedEvent[]
}

export const createInbox = (db: Database.Database): Inbox => {
  const insert = prepare(
    db,
    'INSERT INTO inbox (execution, position, id, name, received_at, bytes) VALUES (?, ?, ?, ?, ?, ?)',
  )
  const remove = prepare<[number, number], number>(
    db,
    'DELETE FROM inbox WHERE execution = ? AND position = ? RETURNING bytes',
  ).pluck()
  const removeAll = prepare(db, 'DELETE FROM inbox WHERE execution = ?')
  const selectAll = prepare<[number], BufferedEvent>(
    db,
    'SELECT position, id, name, received_at AS receivedAt, bytes FROM inbox WHERE execution = ? ORDER BY position',
  )
  return {
    insert: (key, position, entry) => {
      if (entry.name === undefined || entry.data === undefined) throw new Error('a received event needs name and data')
      const bytes = Buffer.byteLength(entry.data)
      insert.run(key, position, eventIdOf(entry.data), entry.name, entry.at, bytes)
      return bytes
    },
    remove: (key, position) => remove.get(key, position),
    removeAll: (key) => {
      removeAll.run(key)
    },
    of: (key) => selectAll.all(key),
  }
}

/** The engine writes the id first, so the payload after it need not be parsed. */
const ID_FIRST = /^\{"id":"([^"\\]+)"/

const eventIdOf = (data: JsonText): string => {
  const id = ID_FIRST.exec(data)?.[1] ?? (JSON.parse(data) as { id?: unknown }).id
  if (typeof id !== 'string') throw new Error('the data of a received event has no id')
  return id
}
