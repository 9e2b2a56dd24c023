// Opens the data directory, which contains all data of a runtime, locks it, and publishes its owner in runtime.json.

import { existsSync, lstatSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { Type, type Static } from 'typebox'
import { Check } from 'typebox/schema'
import { flushFolder } from '../shared/flush-file.ts'
import { replaceFile } from '../shared/replace-file.ts'
import { killLeftBy } from '../shared/started-processes.ts'
import { DataDirectoryInUseError } from '../shared/runtime.ts'
import { backUpDatabase } from '../store/back-up.ts'
import { filesOf, logOf } from '../store/database.ts'
import { isOpenElsewhere, removeEverything, removeExecutions } from '../store/reset.ts'
import { LOCK, ownDirectory, sqliteFiles } from './own-directory.ts'
import { realPathOf } from './trusted-folders.ts'

const PRIVATE_FILE = 0o600

export type DataDirectory = {
  /** An absolute path. */
  readonly path: string
  readonly databaseFile: string
  /** The files that this process has open, and that must stay at their paths. */
  readonly openFiles: readonly string[]
  /** Whether a runtime that used it was killed, and none has opened the database since. */
  readonly wasKilled: boolean
  /** The database is open, and its log has been looked at. */
  readonly forgetKill: () => void
  /**
   * Removes runtime.json, unless it is another process's. To be called before the database is closed, which removes its log:
   * a log that is missing beside a runtime.json counts as lost. May be called twice.
   */
  readonly unpublish: () => void
  /** Removes runtime.json, unless it is another process's, and unlocks the directory. May be called twice. */
  readonly release: () => void
}

/** Creates and locks the directory. Throws DataDirectoryInUseError if another process owns it. */
export const openDataDirectory = (dir: string): DataDirectory => {
  const directory = path.resolve(dir)
  const databaseFile = databaseIn(directory)
  const release = ownDirectory({ directory, files: FILES, privateFiles: [databaseFile], ownerOf })
  const killed = path.join(directory, KILLED)
  const forgetKill = (): void => {
    if (!existsSync(killed)) return
    rmSync(killed, { force: true })
    flushFolder(directory)
  }
  try {
    const left = readRuntimeInfo(directory)
    // In a copy of the directory, the file names a runtime that may be running. A link may lead to the directory.
    if (left !== undefined && realPathOf(left.dataDir) === realPathOf(directory)) killLeftBy(left.instanceId)
    // Its writer did not stop cleanly, and is gone. This process may be killed as well before it has opened the database.
    if (existsSync(runtimeInfoFile(directory))) replaceFile(runtimeInfoFile(directory), killed)
  } catch (error) {
    release()
    throw error
  }
  /** Answers whether the file was this process's, or there is none. */
  const unpublish = (): boolean => {
    // The directory may have been deleted, and another process may have made it again.
    const { pid = process.pid } = readRuntimeInfo(directory) ?? {}
    if (pid !== process.pid) return false
    removeRuntimeInfo(directory)
    flushFolder(directory)
    return true
  }
  let owned = true
  return {
    path: directory,
    databaseFile,
    openFiles: [...filesOf(databaseFile), path.join(directory, LOCK)],
    wasKilled: existsSync(killed),
    forgetKill,
    unpublish,
    release: () => {
      if (!owned) return
      owned = false
      try {
        // One that was opened and refused has no log any more: closing it has put the log's content into it.
        if (unpublish() && !existsSync(logOf(databaseFile))) forgetKill()
      } finally {
        release()
      }
    },
  }
}

/** Whether a runtime has stored anything yet. */
export const hasData = (dir: string): boolean => existsSync(databaseIn(dir))

/** Copies the database, also while a runtime uses it. */
export const backUpDataDirectory = (dir: string, target: string, signal?: AbortSignal): Promise<void> =>
  backUpDatabase(databaseIn(path.resolve(dir)), target, signal)

/**
 * Throws DataDirectoryInUseError while a runtime uses the directory. When Executions are reset, also while another program
 * has the database open.
 */
export const resetDataDirectory = (dir: string, what: 'executions' | 'everything', now: () => number): void => {
  const { path: directory, databaseFile, forgetKill, release } = openDataDirectory(dir)
  try {
    if (what === 'everything') return removeEverything(databaseFile)
    // SQLite would take the log that another program keeps for that of the new database. The kill is forgotten before this process's own log is
    // gone: the next runtime would say that it is missing, if this one is killed meanwhile.
    if (isOpenElsewhere(databaseFile, forgetKill))
      throw new DataDirectoryInUseError(directory, {}, 'another program that has the database open')
    removeExecutions(databaseFile, now)
  } finally {
    release()
  }
}

const databaseIn = (directory: string): string => path.join(directory, 'wes.sqlite')

/** The saved connections to hosted services. */
export const CONNECTIONS_FILE = 'connections.json'

/** The running attempts of effects. */
export const UNDER_WAY_FILE = 'effects-under-way'

/** What a killed runtime has left as its runtime.json, until the database is opened. */
const KILLED = 'killed-runtime.json'

/** Every file that the runtime opens or replaces in its directory, except the lock. */
const FILES = [
  ...sqliteFiles('wes.sqlite'),
  'runtime.json',
  KILLED,
  'trusted-folders.json',
  'trusted-folders.lock',
  CONNECTIONS_FILE,
  UNDER_WAY_FILE,
]

const ownerOf = (directory: string): DataDirectoryInUseError['owner'] => {
  const info = readRuntimeInfo(directory)
  return info === undefined ? {} : { pid: info.pid, url: `http://localhost:${info.port}` }
}

const RuntimeInfoSchema = Type.Object({
  pid: Type.Integer({ minimum: 1 }),
  port: Type.Integer({ minimum: 1, maximum: 65_535 }),
  instanceId: Type.String({ minLength: 1 }),
  version: Type.String({ minLength: 1 }),
  /** The key with which the runtime proves its identity. */
  secret: Type.String({ minLength: 1 }),
  /** The token for `/v1`, for the user's command line and app. */
  token: Type.Optional(Type.String({ minLength: 1 })),
  dataDir: Type.String({ minLength: 1 }),
  projectFolder: Type.String({ minLength: 1 }),
  /** ISO 8601. */
  startedAt: Type.String({ minLength: 1 }),
})

/** The content of runtime.json: the process that owns the data directory. */
export type RuntimeInfo = Readonly<Static<typeof RuntimeInfoSchema>>

const runtimeInfoFile = (directory: string): string => path.join(directory, 'runtime.json')

/** Atomic: a reader sees the old file or the new one. */
export const writeRuntimeInfo = (directory: string, info: RuntimeInfo): void => {
  const file = runtimeInfoFile(directory)
  const draft = `${file}.new`
  rmSync(draft, { force: true })
  writeFileSync(draft, `${JSON.stringify(info, undefined, 2)}\n`, { mode: PRIVATE_FILE, flag: 'wx' })
  // The log is there first: one that is missing beside a runtime.json counts as lost.
  flushFolder(directory)
  replaceFile(draft, file)
}

/** Undefined if there is no file, or if it is not valid. */
export const readRuntimeInfo = (directory: string): RuntimeInfo | undefined => {
  try {
    const file = runtimeInfoFile(directory)
    if (!lstatSync(file).isFile()) return undefined
    const info: unknown = JSON.parse(readFileSync(file, 'utf8'))
    return Check(RuntimeInfoSchema, info) ? info : undefined
  } catch {
    return undefined
  }
}

export const removeRuntimeInfo = (directory: string): void => rmSync(runtimeInfoFile(directory), { force: true })
