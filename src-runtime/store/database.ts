// Opening the database file: settings that every connection needs, and the schema brought up to date.

import Database from 'better-sqlite3'
import { migrate } from './migrate.ts'
import { MIGRATIONS } from './migrations.ts'
import type { Migration } from './migrations.ts'
import { toStoreError } from './store-errors.ts'

/**
 * Smaller than SQLite's default: a commit rewrites whole pages, and the rows of an Execution are small. Half the bytes
 * per parked Execution at the same speed. Takes effect in new databases only.
 */
const PAGE_SIZE_BYTES = 2048

/** Nobody else writes to the database; should somebody look at it with a tool, do not hold up the event loop for long. */
const BUSY_TIMEOUT_MS = 250

/** Measured: a checkpoint of this many pages takes about 2 ms, and is short of what a larger WAL would save. */
const CHECKPOINT_PAGES = 1000

const CACHE_KIB = 16_384

export const openDatabase = (options: {
  readonly file: string
  readonly now: () => number
  readonly migrations?: readonly Migration[]
}): Database.Database => {
  let db: Database.Database | undefined
  try {
    db = new Database(options.file, { timeout: BUSY_TIMEOUT_MS })
    configure(db)
    migrate(db, { file: options.file, now: options.now, migrations: options.migrations ?? MIGRATIONS })
    return db
  } catch (error) {
    db?.close()
    throw toStoreError(error)
  }
}

const configure = (db: Database.Database): void => {
  db.pragma(`page_size = ${PAGE_SIZE_BYTES}`)
  db.pragma('journal_mode = WAL')
  // The build's default in WAL mode is NORMAL, which loses acknowledged commits when the power fails.
  db.pragma('synchronous = FULL')
  // On macOS a plain fsync leaves data in the drive's cache; elsewhere these do nothing.
  db.pragma('fullfsync = ON')
  db.pragma('checkpoint_fullfsync = ON')
  // References are checked where rows are written; a lookup per journal entry would be paid on the hot path.
  db.pragma('foreign_keys = OFF')
  db.pragma(`wal_autocheckpoint = ${CHECKPOINT_PAGES}`)
  db.pragma(`cache_size = -${CACHE_KIB}`)
  db.pragma('temp_store = MEMORY')
}
