// Removes all Executions, or everything. The caller holds the data directory's lock.

import { readdirSync, rmSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import Database from 'better-sqlite3'
import { flushFolder } from '../shared/flush-file.ts'
import { replaceFile } from '../shared/replace-file.ts'
import { filesOf, openAsItIs, openDatabase, refuseLogAlone } from './database.ts'
import { makePrivateDraft } from './private-draft.ts'
import { toStoreError } from './store-errors.ts'

/** These tables are kept, and have had the same columns in every schema; all others, also in later schemas, are about Executions. */
const KEPT_TABLES = ['projects', 'programs', 'versions', 'artifacts']

/**
 * Whether another program has the database open. Then the log stays when this process closes the database. `onAlone`: called before it is
 * closed if no other has, which puts the log's content into it.
 */
export const isOpenElsewhere = (file: string, onAlone: () => void): boolean => {
  refuseLogAlone(file)
  const db = new Database(file, { timeout: 0 })
  try {
    db.pragma('locking_mode = EXCLUSIVE')
    db.prepare('SELECT count(*) FROM sqlite_schema').get()
    onAlone()
    return false
  } catch (error) {
    // `openDatabase` explains every other fault.
    return error instanceof Database.SqliteError && error.code.startsWith('SQLITE_BUSY')
  } finally {
    db.close()
  }
}

/**
 * Copies the kept tables into a new database, which then replaces the old one in one step. Also removes the backups. A database of an
 * older version is not upgraded first: that may take minutes, and room for another copy of it.
 */
export const removeExecutions = (file: string, now: () => number): void => {
  const draft = `${file}.reset`
  try {
    const version = emptyLog(file, now)
    removeDatabase(draft)
    makePrivateDraft(draft)
    copyKept(file, draft, version === 0 ? [] : KEPT_TABLES, now)
    // After a loss of power, the old log would otherwise be taken for that of the new database.
    flushFolder(dirname(file))
    replaceFile(draft, file)
  } catch (error) {
    removeDatabase(draft)
    throw toStoreError(error)
  }
  removeBackups(file)
}

const copyKept = (file: string, draft: string, tables: readonly string[], now: () => number): void => {
  const db = openDatabase({ file: draft, now })
  try {
    db.prepare('ATTACH DATABASE ? AS old').run(file)
    db.transaction(() => {
      for (const table of tables) db.exec(`INSERT INTO main.${table} SELECT * FROM old.${table}`)
    })()
    db.exec('DETACH DATABASE old')
  } finally {
    db.close()
  }
}

/** Returns the version of the database's schema. Throws if the disk has no room for the log's content. */
const emptyLog = (file: string, now: () => number): number => {
  const { db, version } = openAsItIs({ file, now })
  try {
    db.pragma('wal_checkpoint(TRUNCATE)')
    return version
  } finally {
    db.close()
  }
}

export const removeEverything = (file: string): void => {
  removeBackups(file)
  removeDatabase(`${file}.reset`)
  removeDatabase(file)
}

/** The names of those from before migrations, complete or not, and of what SQLite has beside them, after the database's. */
const BACKUP = /^\.(?:schema-\d+\.\w+\.backup|backup\.part)(?:-\w+)?$/

/** They hold the same data. Copies that a person made are theirs. */
const removeBackups = (file: string): void => {
  const folder = dirname(file)
  const name = basename(file)
  for (const other of readdirSync(folder)) {
    if (other.startsWith(name) && BACKUP.test(other.slice(name.length))) rmSync(join(folder, other), { force: true })
  }
  flushFolder(folder)
}

/** The database last: a log without it is refused, if this process is killed or the power fails meanwhile. */
const removeDatabase = (file: string): void => {
  for (const name of filesOf(file).toReversed()) {
    rmSync(name, { force: true })
    flushFolder(dirname(file))
  }
}
