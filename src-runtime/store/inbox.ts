// Events that were received and not delivered. Their payloads stay in the journal and are read when they are asked for:
// an Execution may have thousands of events buffered, of up to a megabyte each.

import type Database from 'better-sqlite3'
import type { BufferedEvent } from '../engine/execution-state.ts'
import type { JsonText, NewEntry } from '../engine/journal.ts'
import { prepare } from './prepare.ts'

type InboxRow = {
  readonly position: number
  readonly id: string
  readonly name: string
  readonly receivedAt: number
}

export type Inbox = {
  readonly insert: (key: number, position: number, entry: NewEntry) => void
  /** How many there were. */
  readonly remove: (key: number, position: number) => number
  readonly removeAll: (key: number) => void
  readonly of: (key: number) => readonly BufferedEvent[]
}

export const createInbox = (db: Database.Database): Inbox => {
  const insert = prepare(db, 'INSERT INTO inbox (execution, position, id, name, received_at) VALUES (?, ?, ?, ?, ?)')
  const remove = prepare(db, 'DELETE FROM inbox WHERE execution = ? AND position = ?')
  const removeAll = prepare(db, 'DELETE FROM inbox WHERE execution = ?')
  const selectAll = prepare<[number], InboxRow>(
    db,
    'SELECT position, id, name, received_at AS receivedAt FROM inbox WHERE execution = ? ORDER BY position',
  )
  const selectData = prepare<[number, number], string>(
    db,
    'SELECT data FROM journal WHERE execution = ? AND position = ?',
  ).pluck()

  const dataOf = (key: number, position: number): JsonText => {
    const data = selectData.get(key, position)
    if (data === undefined) throw new Error(`entry ${position} of Execution ${key} is not in the journal`)
    return data
  }

  return {
    insert: (key, position, entry) => {
      if (entry.name === undefined || entry.data === undefined) throw new Error('a received event needs name and data')
      insert.run(key, position, eventIdOf(entry.data), entry.name, entry.at)
    },
    remove: (key, position) => remove.run(key, position).changes,
    removeAll: (key) => {
      removeAll.run(key)
    },
    of: (key) =>
      selectAll.all(key).map((row) => ({
        ...row,
        get data() {
          return dataOf(key, row.position)
        },
      })),
  }
}

/** The id stands first in what the engine writes, so the payload behind it need not be parsed again. */
const ID_FIRST = /^\{"id":"([^"\\]+)"/

const eventIdOf = (data: JsonText): string => {
  const id = ID_FIRST.exec(data)?.[1] ?? (JSON.parse(data) as { id?: unknown }).id
  if (typeof id !== 'string') throw new Error('the data of a received event has no id')
  return id
}
