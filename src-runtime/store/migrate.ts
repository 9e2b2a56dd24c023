// Brings a database to the newest schema, or says clearly why it will not. An existing database is copied first.

import { existsSync, rmSync } from 'node:fs'
import Database from 'better-sqlite3'
import { APPLICATION_ID } from './migrations.ts'
import type { Migration } from './migrations.ts'

/** The file cannot be used as it is; the message says what to do. */
export class DatabaseRefusedError extends Error {
  override readonly name = 'DatabaseRefusedError'
}

export const migrate = (
  db: Database.Database,
  options: { readonly file: string; readonly now: () => number; readonly migrations: readonly Migration[] },
): void => {
  const { file, migrations } = options
  const newest = migrations.at(-1)?.version ?? 0
  const current = readVersion(db, file)
  if (current > newest) {
    throw new DatabaseRefusedError(
      `${file} has schema ${current}, and this version of WES knows schemas up to ${newest}: ` +
        'it was written by a newer version. Start that version, or choose another data directory',
    )
  }
  const steps = migrations.filter((migration) => migration.version > current)
  if (steps.length === 0) return
  if (current > 0) backUp(db, `${file}.schema-${current}.${stamp(options.now())}.backup`)
  for (const step of steps) apply(db, step)
}

/** 0 for a database that has just been made. */
const readVersion = (db: Database.Database, file: string): number => {
  try {
    const version = db.pragma('user_version', { simple: true }) as number
    const owner = db.pragma('application_id', { simple: true }) as number
    if (owner === APPLICATION_ID) return version
    if (owner === 0 && version === 0 && countTables(db) === 0) return 0
  } catch (error) {
    if (isNoDatabase(error)) throw refuseForeign(file, error)
    throw error
  }
  throw refuseForeign(file)
}

const countTables = (db: Database.Database): number =>
  db.prepare<[], number>('SELECT count(*) FROM sqlite_schema').pluck().get() ?? 0

export const isNoDatabase = (error: unknown): boolean =>
  error instanceof Database.SqliteError && (error.code === 'SQLITE_NOTADB' || error.code === 'SQLITE_CORRUPT')

export const refuseForeign = (file: string, cause?: unknown): DatabaseRefusedError =>
  new DatabaseRefusedError(
    cause === undefined
      ? `${file} is a database of another program. Choose another data directory, or move the file away`
      : `${file} is damaged, or not a database at all. Restore it from a backup, or move it away to begin anew`,
    { cause },
  )

const apply = (db: Database.Database, step: Migration): void => {
  db.transaction(() => {
    db.exec(step.sql)
    db.pragma(`application_id = ${APPLICATION_ID}`)
    db.pragma(`user_version = ${step.version}`)
  }).exclusive()
}

/** A copy that was cut short must not be taken for a backup later, so it is removed again. */
const backUp = (db: Database.Database, target: string): void => {
  try {
    db.prepare('VACUUM INTO ?').run(target)
  } catch (error) {
    if (existsSync(target)) rmSync(target)
    throw error
  }
}

/** `20261120T081500123Z`, which every file system takes. */
const stamp = (at: number): string => new Date(at).toISOString().replaceAll(/[-:.]/g, '')
