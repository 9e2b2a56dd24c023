// Ownership of a data directory: an exclusive transaction on a database of its own, held for life. It rests on a lock
// of the operating system, so it is gone at once when the process dies, however it dies, and is never stale.
//
// Nothing else may open or copy the lock file within the owning process: with POSIX locks, closing any descriptor of a
// file gives up the locks that the process has on it.

import Database from 'better-sqlite3'
import { toStoreError } from './store-errors.ts'

export type Lock = {
  /** May be called twice. */
  readonly release: () => void
}

/** The garbage collector would release a lock without a reference to it. */
const held = new Set<Database.Database>()

/** `undefined` when it is held already, by another process or by this one. */
export const takeLock = (file: string): Lock | undefined => {
  let db: Database.Database | undefined
  try {
    db = new Database(file, { timeout: 0 })
    // Without a journal there is nothing that a killed owner could leave behind.
    db.pragma('journal_mode = MEMORY')
    db.exec('BEGIN EXCLUSIVE')
  } catch (error) {
    db?.close()
    if (error instanceof Database.SqliteError && error.code.startsWith('SQLITE_BUSY')) return undefined
    throw toStoreError(error)
  }
  const owned = db
  held.add(owned)
  return {
    release: () => {
      held.delete(owned)
      owned.close()
    },
  }
}
