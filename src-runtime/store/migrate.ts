// Migrates a database to the newest schema, or refuses it with a reason. An existing database is backed up first.

import { readdirSync, rmSync, statfsSync } from 'node:fs'
import { basename, dirname } from 'node:path'
import Database from 'better-sqlite3'
import { flushFile } from '../shared/flush-file.ts'
import { formatBytes } from '../shared/format-bytes.ts'
import { CHOOSE_DIRECTORY } from '../shared/runtime.ts'
import { replaceFile } from '../shared/replace-file.ts'
import { APPLICATION_ID, type Migration } from './migrations.ts'
import { makePrivateDraft } from './private-draft.ts'
import { DiskFullError, StoreUnavailableError } from '../shared/store-errors.ts'
import { toStoreError } from './store-errors.ts'

/** Both block for as long as they take. */
export type UpgradeListeners = {
  /** Told that a database of an older version is copied to this file and then upgraded, before either begins. */
  readonly onUpgrade?: ((backup: string) => void) | undefined
  /** Told before each step of the upgrade of an older version, the first being 1. */
  readonly onStep?: ((step: number, steps: number) => void) | undefined
}

/** The file cannot be used as it is; the message says what to do. */
export class DatabaseRefusedError extends Error {
  override readonly name = 'DatabaseRefusedError'
  readonly code: typeof CHOOSE_DIRECTORY | undefined
  constructor(
    message: string,
    { cause, code }: { readonly cause?: unknown; readonly code?: typeof CHOOSE_DIRECTORY } = {},
  ) {
    super(message, { cause })
    this.code = code
  }
}

/**
 * The version of the file's schema, 0 when it is new. Reads only; throws when the file is not ours, or newer than us.
 */
export const identify = (db: Database.Database, file: string, migrations: readonly Migration[]): number => {
  const version = readVersion(db, file)
  const newest = migrations.at(-1)?.version ?? 0
  if (version > newest) {
    const [backup] = backupsOf(file).filter(({ schema }) => schema <= newest)
    const back =
      backup &&
      `, or go back to its copy from before the upgrade, without what was stored since: delete ${file}, ${file}-wal and ${file}-shm, and copy ${backup.path} to ${file}`
    throw new DatabaseRefusedError(
      `${file} has schema ${version}, and this version of WES knows schemas up to ${newest}: ` +
        `it was written by a newer version. Start that version${back ?? ''}, or choose another data directory`,
      { code: CHOOSE_DIRECTORY },
    )
  }
  return version
}

export const migrate = (
  db: Database.Database,
  options: {
    readonly file: string
    readonly now: () => number
    readonly migrations: readonly Migration[]
    /** The result of `identify`. */
    readonly version: number
  } & UpgradeListeners,
): void => {
  const steps = options.migrations.filter(({ version }) => version > options.version)
  if (steps.length === 0) return
  const backup = options.version === 0 ? undefined : backupOf(options.file, options.version, stamp(options.now()))
  try {
    if (backup !== undefined) {
      options.onUpgrade?.(backup.path)
      refuseWithoutRoom(db)
      backUp(db, backup.path)
      removeOldBackups(options.file, backup)
    }
    apply(db, steps, backup === undefined ? undefined : options.onStep)
  } catch (error) {
    // The next try makes another copy, for which the room of this one is needed.
    if (backup !== undefined && toStoreError(error) instanceof DiskFullError) rmSync(backup.path, { force: true })
    throw explainDamage(error, options.file, DAMAGED_BEFORE)
  }
}

const DAMAGED_BEFORE = ', so it cannot be upgraded. The version of WES that wrote it may still open it'

const readVersion = (db: Database.Database, file: string): number => {
  let facts: { readonly version: number; readonly owner: number; readonly tables: number }
  try {
    facts = {
      version: db.pragma('user_version', { simple: true }) as number,
      owner: db.pragma('application_id', { simple: true }) as number,
      tables: db.prepare<[], number>('SELECT count(*) FROM sqlite_schema').pluck().get() ?? 0,
    }
  } catch (error) {
    throw explainDamage(error, file, ', or not a database at all')
  }
  if (facts.owner === APPLICATION_ID) return facts.version
  if (facts.owner === 0 && facts.version === 0 && facts.tables === 0) return 0
  throw new DatabaseRefusedError(
    `${file} is a database of another program. Move the file away, or choose another data directory`,
    { code: CHOOSE_DIRECTORY },
  )
}

/** Another try would find the same. Returns every other error as it is. */
export const explainDamage = (error: unknown, file: string, more = ''): unknown =>
  error instanceof Database.SqliteError && /^SQLITE_(NOTADB|CORRUPT)/.test(error.code)
    ? new DatabaseRefusedError(
        `${file} is damaged${more}. Move it and ${file}-wal away, to begin anew or to put a backup in its place`,
        { cause: error },
      )
    : error

/** All or none: after a failure, the version of WES before can still open the database. */
const apply = (db: Database.Database, steps: readonly Migration[], onStep: UpgradeListeners['onStep']): void => {
  db.transaction(() => {
    for (const [index, step] of steps.entries()) {
      onStep?.(index + 1, steps.length)
      db.exec(step.sql)
      step.then?.(db)
      db.pragma(`user_version = ${step.version}`)
    }
    db.pragma(`application_id = ${APPLICATION_ID}`)
  }).exclusive()
}

type Backup = { readonly path: string; readonly schema: number; readonly time: string }

const backupOf = (file: string, schema: number, time: string): Backup => ({
  path: `${file}.schema-${schema}.${time}.backup`,
  schema,
  time,
})

/** A try that fills the disk disturbs all that use it, and is made again and again. */
const refuseWithoutRoom = (db: Database.Database): void => {
  const folder = dirname(db.name)
  const { bavail, bsize, blocks } = statfsSync(folder)
  const [pageBytes = 0, pages = 0, unused = 0] = ['page_size', 'page_count', 'freelist_count'].map((name) =>
    Number(db.pragma(name, { simple: true })),
  )
  const [room, needed] = [bavail * bsize, (pages - unused) * pageBytes]
  // Some file systems do not tell.
  if (blocks === 0 || room >= needed) return
  throw new StoreUnavailableError(
    `the database is copied before it is upgraded, which needs ${formatBytes(needed)}, and the disk that holds ${folder} has room for ${formatBytes(room)}. Make room on it`,
  )
}

/** The copy while it is incomplete. */
export const draftOfBackup = (file: string): string => `${file}.backup.part`

/** An incomplete copy must not later look like a backup, also when this process is killed meanwhile. */
const backUp = (db: Database.Database, target: string): void => {
  const draft = draftOfBackup(db.name)
  try {
    makePrivateDraft(draft)
    db.prepare('VACUUM INTO ?').run(draft)
    flushFile(draft) // SQLite does not
    replaceFile(draft, target)
  } catch (error) {
    removeDraftOfBackup(db.name)
    throw error
  }
}

export const removeDraftOfBackup = (file: string): void => {
  const draft = draftOfBackup(file)
  for (const left of [draft, `${draft}-journal`]) rmSync(left, { force: true })
}

/**
 * Each is as large as the database. Kept are the newest, and that of the upgrade before: of one schema only the newest,
 * because a migration that fails is tried again by every start.
 */
const removeOldBackups = (file: string, newest: Backup): void => {
  const others = backupsOf(file).filter(({ path }) => path !== newest.path)
  const before = others.find(({ schema }) => schema !== newest.schema)
  for (const other of others) if (other !== before) rmSync(other.path, { force: true })
}

/** The newest first. */
const backupsOf = (file: string): Backup[] =>
  readdirSync(dirname(file))
    .flatMap((name) => readBackup(file, name) ?? [])
    .toSorted((a, b) => (a.time < b.time ? 1 : -1))

const readBackup = (file: string, name: string): Backup | undefined => {
  const [, schema, time] = /\.schema-(\d+)\.(\w+)\.backup$/.exec(name) ?? []
  if (schema === undefined || time === undefined) return undefined
  const backup = backupOf(file, Number(schema), time)
  return basename(backup.path) === name ? backup : undefined
}

/** `20261120T081500123Z`, which is valid in every file system. */
const stamp = (at: number): string => new Date(at).toISOString().replaceAll(/[-:.]/g, '')
