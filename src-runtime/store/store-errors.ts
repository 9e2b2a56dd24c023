// Translates errors of SQLite into those of the store's port.

import Database from 'better-sqlite3'
import { DiskFaultError, DiskFullError, StoreUnavailableError } from '../shared/store-errors.ts'

const FULL = 'the disk that holds the data directory is full'

/** External causes, by the prefix of SQLite's code, and their messages for the user. */
const OUTSIDE: readonly (readonly [code: string, message: string, error?: typeof StoreUnavailableError])[] = [
  ['SQLITE_FULL', FULL, DiskFullError],
  ['SQLITE_IOERR_SHMSIZE', FULL, DiskFullError],
  ['SQLITE_IOERR', 'the data directory cannot be read or written', DiskFaultError],
  ['SQLITE_READONLY', 'the database in the data directory is read-only', DiskFaultError],
  ['SQLITE_CANTOPEN', 'the database in the data directory cannot be opened'],
  ['SQLITE_BUSY', 'another program keeps the database in the data directory locked'],
  ['SQLITE_LOCKED', 'another program keeps the database in the data directory locked'],
  ['SQLITE_PROTOCOL', 'another program keeps the database in the data directory locked'],
  ['SQLITE_NOMEM', 'there is not enough memory to use the database'],
  ['SQLITE_CORRUPT', 'the database in the data directory is damaged'],
  ['SQLITE_NOTADB', 'the database in the data directory is damaged'],
]

/** Whether an error concerns only one caller's rows, so that the other callers of the transaction may continue. */
export const concernsOneCaller = (error: unknown): boolean =>
  !(error instanceof Database.SqliteError) ||
  error.code.startsWith('SQLITE_CORRUPT') ||
  !OUTSIDE.some(([code]) => error.code.startsWith(code))

/**
 * Errors of disk, memory and locks become StoreUnavailableError. Any other error is a bug, and is returned unchanged.
 */
export const toStoreError = (error: unknown): unknown => {
  if (!(error instanceof Database.SqliteError)) return error
  const known = OUTSIDE.find(([code]) => error.code.startsWith(code))
  if (known === undefined) return error
  const [, message, Unavailable = StoreUnavailableError] = known
  return new Unavailable(`${message} (${error.code}: ${error.message})`, { cause: error })
}
