// A directory that one process owns, and that no other user may read.

import { accessSync, chmodSync, constants, lstatSync, statSync, type Stats, writeFileSync } from 'node:fs'
import path from 'node:path'
import { makeFolder } from '../shared/make-folder.ts'
import { DataDirectoryInUseError, DataDirectoryRefusedError } from '../shared/runtime.ts'
import { takeLock } from '../store/lock.ts'
import { messageOf } from '../shared/message-of.ts'

const PRIVATE_DIRECTORY = 0o700
const PRIVATE_FILE = 0o600
const STICKY = 0o1000
export const LOCK = 'lock.sqlite'
/** Of two processes that ask for the lock at the same moment, SQLite refuses both unless they ask again. */
const LOCK_WAIT_MS = 200

/** The names of a SQLite database's files. */
export const sqliteFiles = (name: string): readonly string[] => [name, `${name}-wal`, `${name}-shm`, `${name}-journal`]

/**
 * Creates and locks the directory, until the returned function is called or this process ends. Throws
 * DataDirectoryInUseError if another process owns it, DataDirectoryRefusedError if it cannot be used.
 */
export const ownDirectory = (options: {
  readonly directory: string
  /** Names of the files that are opened or replaced in it. */
  readonly files: readonly string[]
  /** Paths of files that are created now. */
  readonly privateFiles: readonly string[]
  readonly ownerOf: (directory: string) => DataDirectoryInUseError['owner']
}): (() => void) => {
  const { directory, files, privateFiles, ownerOf } = options
  makePrivate(directory)
  const lockFile = path.join(directory, LOCK)
  for (const name of [...sqliteFiles(LOCK), ...files]) refuseUnlessOwnFile(directory, name)
  for (const file of [lockFile, ...privateFiles]) makeFilePrivate(file)
  const lock = takeLock(lockFile, LOCK_WAIT_MS)
  if (lock === undefined) throw new DataDirectoryInUseError(directory, ownerOf(directory))
  return lock.release
}

/** SQLite opens no file whose path has 512 bytes or more, and adds up to 31 to this one. */
const LONGEST_PATH_BYTES = 480

const makePrivate = (directory: string): void => {
  try {
    if (Buffer.byteLength(directory) > LONGEST_PATH_BYTES) {
      throw new Error(`its path has more than ${LONGEST_PATH_BYTES} bytes`)
    }
    makeFolder(directory, PRIVATE_DIRECTORY)
    const { mode, uid } = statSync(directory)
    if (!isOwnUser(uid)) throw new Error('it belongs to another user')
    if (process.platform !== 'win32' && (mode & 0o7777) !== PRIVATE_DIRECTORY) {
      if ((mode & STICKY) !== 0) throw new Error('it is shared with other users')
      chmodSync(directory, PRIVATE_DIRECTORY)
    }
    accessSync(directory, constants.W_OK)
  } catch (error) {
    const message = `${directory} cannot be the data directory: ${reasonOf(error)}. Choose another one`
    throw new DataDirectoryRefusedError(message, { cause: error })
  }
}

const reasonOf = (error: unknown): string => {
  switch ((error as NodeJS.ErrnoException).code) {
    case 'EROFS':
      return 'it is on a read-only file system'
    case 'EACCES':
    case 'EPERM':
      return 'this user may not write to it'
    case 'EEXIST':
    case 'ENOTDIR':
      return 'it is a file, or in one'
    default:
      return messageOf(error)
  }
}

/** Opening a named pipe would wait for ever, and a link may point to another user's file. */
const refuseUnlessOwnFile = (directory: string, name: string): void => {
  const file = path.join(directory, name)
  const found = lstatSync(file, { throwIfNoEntry: false })
  if (found === undefined) return
  if (!found.isFile()) {
    const what = `${kindOf(found)}, not a regular file`
    throw new DataDirectoryRefusedError(`${file} is ${what}. Remove it, or choose another data directory`)
  }
  if (!isOwnUser(found.uid)) {
    const advice = 'Change its owner, or choose another data directory'
    throw new DataDirectoryRefusedError(`${file} belongs to another user. ${advice}`)
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
export const makeFilePrivate = (file: string): void => {
  const found = lstatSync(file, { throwIfNoEntry: false })
  if (found === undefined) return createPrivate(file)
  if (process.platform !== 'win32' && (found.mode & 0o777) !== PRIVATE_FILE) chmodSync(file, PRIVATE_FILE)
}

const createPrivate = (file: string): void => {
  try {
    writeFileSync(file, '', { mode: PRIVATE_FILE, flag: 'wx' })
  } catch (error) {
    // A runtime that starts at the same moment may have created it since.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
}
