// Opens the database file: checks that it is ours, applies the settings of every connection, and migrates the schema.

import { existsSync, statSync } from 'node:fs'
import Database from 'better-sqlite3'
import { faultOfLog, missingLog } from './fault-of-log.ts'
import { DatabaseRefusedError, identify, migrate, type UpgradeListeners } from './migrate.ts'
import { MIGRATIONS, type Migration } from './migrations.ts'
import { toStoreError } from './store-errors.ts'

/**
 * Smaller than SQLite's default, because a commit rewrites whole pages, and an Execution's rows are small. Measured per
 * parked Execution, with 64 Executions per commit: 1.4 KiB written; 1.9 with 2048, 2.5 with 4096. It costs a tenth of
 * the throughput at most. Takes effect when a database is created.
 */
const PAGE_SIZE_BYTES = 1024

/**
 * A checkpoint of this size takes some milliseconds on the event loop. Half the size writes a tenth more to the disk,
 * since fewer rewrites of the same page are merged. A thread for checkpoints cost more than it saved.
 */
const CHECKPOINT_BYTES = 8_192_000

/** The log's size when a checkpoint is due: pages with their headers, and room for the transaction that triggers it. */
export const LOG_BYTES = Math.round(CHECKPOINT_BYTES * 1.04)

/** The WAL is truncated to this size after a large transaction. */
const WAL_KEPT_BYTES = 16_777_216

/** Only this runtime writes to the database. If another program locks it, the event loop waits no longer than this. */
const BUSY_TIMEOUT_MS = 250

const CACHE_KIB = 16_384

/** The write-ahead log of a database. */
export const logOf = (file: string): string => `${file}-wal`

/** All files of an open database. */
export const filesOf = (file: string): readonly string[] => [file, logOf(file), `${file}-shm`]

type OpenOptions = {
  readonly file: string
  readonly now: () => number
  readonly migrations?: readonly Migration[]
  /** The process that had it before was killed: told what is wrong with the log that it left, as a sentence. */
  readonly onLogFault?: ((fault: string) => void) | undefined
}

/**
 * Throws DatabaseRefusedError for another program's or a newer file, StoreUnavailableError for one that cannot be used.
 */
export const openDatabase = (options: OpenOptions & UpgradeListeners): Database.Database => {
  const { migrations = MIGRATIONS } = options
  const { db, version } = openAsItIs(options)
  try {
    migrate(db, { ...options, migrations, version })
    return db
  } catch (error) {
    db.close()
    throw toStoreError(error)
  }
}

/**
 * The same, but `upgrade` upgrades a database of an older version, over a connection of its own. This one stays open meanwhile, because the
 * last to close would remove the log. What it leaves to do is done here.
 */
export const openUpgraded = async (
  options: OpenOptions & UpgradeListeners & { readonly upgrade: (db: Database.Database) => Promise<void> },
): Promise<Database.Database> => {
  const { file, migrations = MIGRATIONS, upgrade } = options
  const { db, version } = openAsItIs(options)
  try {
    const newest = migrations.at(-1)?.version ?? 0
    if (version > 0 && version < newest) await upgrade(db)
    migrate(db, { ...options, migrations, version: identify(db, file, migrations) })
    return db
  } catch (error) {
    db.close()
    throw toStoreError(error)
  }
}

/** Of any version up to this one. */
export const openAsItIs = ({
  file,
  migrations = MIGRATIONS,
  onLogFault,
}: OpenOptions): { readonly db: Database.Database; readonly version: number } => {
  let db: Database.Database | undefined
  try {
    refuseLogAlone(file)
    const isLogMissing = sizeOf(file) > 0 && !existsSync(logOf(file))
    db = new Database(file, { timeout: BUSY_TIMEOUT_MS })
    // Before any setting is made, so that another program's database is not changed.
    const version = identify(db, file, migrations)
    if (onLogFault !== undefined) {
      const fault = isLogMissing ? missingLog(logOf(file)) : faultOfLog(db, logOf(file))
      if (fault !== undefined) onLogFault(fault)
    }
    configure(db)
    return { db, version }
  } catch (error) {
    db?.close()
    throw toStoreError(error)
  }
}

/** SQLite would delete the log of a database that is missing or empty, and with it all that was stored since a checkpoint. */
export const refuseLogAlone = (file: string): void => {
  if (sizeOf(file) > 0 || sizeOf(logOf(file)) === 0) return
  throw new DatabaseRefusedError(
    `${file} is missing or empty, but its log ${logOf(file)} is not, and holds what was stored last. ` +
      'Put the file back, or move the log away, to begin anew or to put a backup in its place',
  )
}

export const sizeOf = (file: string): number => statSync(file, { throwIfNoEntry: false })?.size ?? 0

const configure = (db: Database.Database): void => {
  db.pragma(`page_size = ${PAGE_SIZE_BYTES}`)
  db.pragma('journal_mode = WAL')
  // The build's default in WAL mode is NORMAL, which loses acknowledged commits when the power fails.
  db.pragma('synchronous = FULL')
  // On macOS a plain fsync leaves data in the drive's cache. Elsewhere these settings have no effect.
  db.pragma('fullfsync = ON')
  db.pragma('checkpoint_fullfsync = ON')
  // The code that writes rows checks their references; a lookup per journal entry would slow the hot path.
  db.pragma('foreign_keys = OFF')
  const pageSize = db.pragma('page_size', { simple: true }) as number
  db.pragma(`wal_autocheckpoint = ${Math.round(CHECKPOINT_BYTES / pageSize)}`)
  db.pragma(`journal_size_limit = ${WAL_KEPT_BYTES}`)
  db.pragma(`cache_size = -${CACHE_KIB}`)
  db.pragma('temp_store = MEMORY')
}
