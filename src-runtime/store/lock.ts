// A lock between processes: an exclusive transaction on a separate database. It uses a lock of the operating system,
// which releases it when the process dies in any way, so it is never stale.
//
// Nothing else in the owning process may open or copy the lock file: with POSIX locks, closing any descriptor of a file
// releases all locks that the process holds on it.

import Database from 'better-sqlite3'
import { toStoreError } from './store-errors.ts'

export type Lock = {
  /** May be called twice. */
  readonly release: () => void
}

/** Keeps references, because the garbage collector would release an unreferenced lock. */
const held = new Set<Database.Database>()

/** Blocks for `waitMs` at most. `undefined` when it is held still, by another process or by this one. */
export const takeLock = (file: string, waitMs = 0): Lock | undefined => {
  let db: Database.Database | undefined
  try {
    db = new Database(file, { timeout: waitMs })
    // Without a journal file, a killed owner leaves nothing behind.
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
