// What SQLite says, in the words of the store's port.

import Database from 'better-sqlite3'
import { StoreUnavailableError } from './store.ts'

/** Causes that lie outside of us, by the beginning of SQLite's code, and what to tell the user. */
const OUTSIDE: readonly (readonly [code: string, message: string])[] = [
  ['SQLITE_FULL', 'the disk that holds the data directory is full'],
  ['SQLITE_IOERR', 'the data directory cannot be read or written'],
  ['SQLITE_READONLY', 'the database in the data directory is read-only'],
  ['SQLITE_CANTOPEN', 'the database in the data directory cannot be opened'],
  ['SQLITE_BUSY', 'another program keeps the database in the data directory locked'],
  ['SQLITE_LOCKED', 'another program keeps the database in the data directory locked'],
  ['SQLITE_PROTOCOL', 'another program keeps the database in the data directory locked'],
  ['SQLITE_NOMEM', 'there is not enough memory to use the database'],
  ['SQLITE_CORRUPT', 'the database in the data directory is damaged'],
  ['SQLITE_NOTADB', 'the database in the data directory is damaged'],
]

/** Whether an error is of one caller's rows alone, so that the others of its transaction may go on. */
export const concernsOneCaller = (error: unknown): boolean =>
  !(error instanceof Database.SqliteError) ||
  error.code.startsWith('SQLITE_CORRUPT') ||
  !OUTSIDE.some(([code]) => error.code.startsWith(code))

/** Errors of disk, memory and locks become StoreUnavailableError; anything else is a fault of ours and stays as it is. */
export const toStoreError = (error: unknown): unknown => {
  if (!(error instanceof Database.SqliteError)) return error
  const known = OUTSIDE.find(([code]) => error.code.startsWith(code))
  if (known === undefined) return error
  return new StoreUnavailableError(`${known[1]} (${error.code}: ${error.message})`, { cause: error })
}
