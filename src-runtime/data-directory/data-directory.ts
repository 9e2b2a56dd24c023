// Opens the data directory, which contains all data of a runtime, locks it, and publishes its owner in runtime.json.

import {
  chmodSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  type Stats,
  writeFileSync,
} from 'node:fs'
import path from 'node:path'
import { Type } from 'typebox'
import type { Static } from 'typebox'
import { Check } from 'typebox/schema'
import { DataDirectoryInUseError } from '../shared/runtime.ts'
import { backUpDatabase } from '../store/back-up.ts'
import { takeLock } from '../store/lock.ts'
import { removeEverything, removeExecutions } from '../store/reset.ts'

const PRIVATE_DIRECTORY = 0o700
const PRIVATE_FILE = 0o600
const STICKY = 0o1000

export type DataDirectory = {
  /** An absolute path. */
  readonly path: string
  readonly databaseFile: string
  /** Removes runtime.json and unlocks the directory. May be called twice. */
  readonly release: () => void
}

/** Creates and locks the directory. Throws DataDirectoryInUseError if another process owns it. */
export const openDataDirectory = (dir: string): DataDirectory => {
  const directory = path.resolve(dir)
  makePrivate(directory)
  const databaseFile = databaseIn(directory)
  const lockFile = path.join(directory, 'lock.sqlite')
  for (const name of FILES) refuseUnlessOwnFile(directory, name)
  for (const file of [lockFile, databaseFile]) makeFilePrivate(file)
  const lock = takeLock(lockFile)
  if (lock === undefined) throw new DataDirectoryInUseError(directory, ownerOf(directory))
  // Its writer did not stop cleanly, and is gone.
  removeRuntimeInfo(directory)
  let owned = true
  return {
    path: directory,
    databaseFile,
    release: () => {
      if (!owned) return
      owned = false
      removeRuntimeInfo(directory)
      lock.release()
    },
  }
}

/** Copies the database, also while a runtime uses it. */
export const backUpDataDirectory = (dir: string, target: string): Promise<void> =>
  backUpDatabase(databaseIn(path.resolve(dir)), target)

/** Throws DataDirectoryInUseError while a runtime uses the directory. */
export const resetDataDirectory = (dir: string, what: 'executions' | 'everything', now: () => number): void => {
  const { databaseFile, release } = openDataDirectory(dir)
  try {
    if (what === 'everything') removeEverything(databaseFile)
    else removeExecutions(databaseFile, now)
  } finally {
    release()
  }
}

const databaseIn = (directory: string): string => path.join(directory, 'wes.sqlite')

const makePrivate = (directory: string): void => {
  try {
    mkdirSync(directory, { recursive: true, mode: PRIVATE_DIRECTORY })
    const { mode, uid } = statSync(directory)
    if (!isOwnUser(uid)) throw new Error('it belongs to another user')
    if (process.platform === 'win32' || (mode & 0o7777) === PRIVATE_DIRECTORY) return
    if ((mode & STICKY) !== 0) throw new Error('it is shared with other users')
    chmodSync(directory, PRIVATE_DIRECTORY)
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new Error(`${directory} cannot be the data directory: ${reason}. Choose another one`, { cause: error })
  }
}

/** Every file that the runtime opens or replaces in its directory. */
const FILES = ['lock.sqlite', 'wes.sqlite']
  .flatMap((name) => [name, `${name}-wal`, `${name}-shm`, `${name}-journal`])
  .concat('runtime.json', 'trusted-folders.json', 'trusted-folders.lock')

/** Opening a named pipe would wait for ever, and a link may point to another user's file. */
const refuseUnlessOwnFile = (directory: string, name: string): void => {
  const file = path.join(directory, name)
  const found = lstatSync(file, { throwIfNoEntry: false })
  if (found === undefined) return
  if (!found.isFile()) {
    throw new Error(`${file} is ${kindOf(found)}, not a regular file. Remove it, or choose another data directory`)
  }
  if (!isOwnUser(found.uid)) {
    throw new Error(`${file} belongs to another user. Remove it, or choose another data directory`)
  }
}

const kindOf = (found: Stats): string => {
  if (found.isSymbolicLink()) return 'a symbolic link'
  if (found.isFIFO()) return 'a named pipe'
  if (found.isDirectory()) return 'a directory'
  return found.isSocket() ? 'a socket' : 'a device'
}

const isOwnUser = (uid: number): boolean => process.getuid === undefined || process.getuid() === uid

/**
 * Makes the file private, so that copies of it are private too. SQLite gives its WAL the same mode. Does not open an
 * existing file: closing it would release a lock that this process may hold on it.
 */
const makeFilePrivate = (file: string): void => {
  const found = lstatSync(file, { throwIfNoEntry: false })
  if (found === undefined) return writeFileSync(file, '', { mode: PRIVATE_FILE, flag: 'wx' })
  if (process.platform !== 'win32' && (found.mode & 0o777) !== PRIVATE_FILE) chmodSync(file, PRIVATE_FILE)
}

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
  renameSync(draft, file)
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
