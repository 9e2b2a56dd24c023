// Opening the database file: whose it is, the settings that every connection needs, the schema brought up to date.

import Database from 'better-sqlite3'
import { identify, migrate } from './migrate.ts'
import { MIGRATIONS } from './migrations.ts'
import type { Migration } from './migrations.ts'
import { toStoreError } from './store-errors.ts'

/**
 * Smaller than SQLite's default: a commit rewrites whole pages, and the rows of an Execution are small. Measured with 64
 * Executions to a commit, written per parked Execution: 1.4 KiB, 1.9 with 2048, 2.5 with 4096; the price is a
 * tenth of the throughput. Takes effect when a database is made.
 */
const PAGE_SIZE_BYTES = 1024

/**
 * A checkpoint of so much takes some milliseconds on the event loop, and most pages were rewritten many times by then; half
 * of it means a tenth more bytes to the disk. A thread for it was not worth its price.
 */
const CHECKPOINT_BYTES = 8_192_000

/** The log when a checkpoint is due: each page with its header, and some more for the transaction that brings it there. */
export const LOG_BYTES = Math.round(CHECKPOINT_BYTES * 1.04)

/** What a large transaction has added to the WAL is given back. */
const WAL_KEPT_BYTES = 16_777_216

/** Only this runtime writes to the database. If a tool has it locked, the event loop waits no longer than this. */
const BUSY_TIMEOUT_MS = 250

const CACHE_KIB = 16_384

/** The write-ahead log of a database. */
export const logOf = (file: string): string => `${file}-wal`

/** All that an open database consists of. */
export const filesOf = (file: string): readonly string[] => [file, logOf(file), `${file}-shm`]

/** Throws DatabaseRefusedError for a file that is not ours to use, StoreUnavailableError for one that cannot be used. */
export const openDatabase = (options: {
  readonly file: string
  readonly now: () => number
  readonly migrations?: readonly Migration[]
}): Database.Database => {
  const { file, now, migrations = MIGRATIONS } = options
  let db: Database.Database | undefined
  try {
    db = new Database(file, { timeout: BUSY_TIMEOUT_MS })
    // Before anything is set: a database that is not ours is not changed.
    const version = identify(db, file, migrations)
    configure(db)
    migrate(db, { file, now, migrations, version })
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
  const pageSize = db.pragma('page_size', { simple: true }) as number
  db.pragma(`wal_autocheckpoint = ${Math.round(CHECKPOINT_BYTES / pageSize)}`)
  db.pragma(`journal_size_limit = ${WAL_KEPT_BYTES}`)
  db.pragma(`cache_size = -${CACHE_KIB}`)
  db.pragma('temp_store = MEMORY')
}
