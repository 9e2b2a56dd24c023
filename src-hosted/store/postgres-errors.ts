// Translates errors of the database, and of the connection to it, into the store's errors.

import { DatabaseError } from 'pg'
import { messageOf } from '../../src-runtime/shared/message-of.ts'
import { StoreClosedError, StoreUnavailableError } from '../../src-runtime/shared/store-errors.ts'

/** SQLSTATEs, or their first characters, of errors that the statement did not cause. */
const OUTSIDE: readonly (readonly [code: string, message: string])[] = [
  ['08', 'the connection to PostgreSQL broke'],
  ['25P0', 'PostgreSQL ended a transaction that took too long'],
  ['28', 'PostgreSQL does not let this process in'],
  ['3D000', 'there is no such database'],
  ['40', 'PostgreSQL gave up a transaction because of others'],
  ['53', 'PostgreSQL has no room or connection left'],
  ['55P03', 'another transaction has locked a row or a table for too long'],
  ['57', 'PostgreSQL was stopped, or the statement took too long'],
  ['58', 'PostgreSQL cannot read or write its files'],
  ['XX001', 'the database is damaged'],
  ['XX002', 'the database is damaged'],
  ['25006', 'PostgreSQL takes no writes here'],
]

/** A server that takes no writes may have been replaced by another one, which only a new connection reaches. */
const ENDS_CONNECTION = /^25(?:P|006)/

/** Whether the connection may be used again after this error. */
export const leavesConnection = (error: unknown): boolean => isRefusal(error) && !ENDS_CONNECTION.test(error.code ?? '')

/** The server did not answer at all. */
export class SilenceError extends Error {
  override readonly name = 'SilenceError'
  override readonly message = 'it does not answer'
}

const isRefusal = (error: unknown): error is DatabaseError =>
  error instanceof DatabaseError && error.severity === 'ERROR'

/** An error without a SQLSTATE comes from the network or from a time limit. */
export const toStoreError = (error: unknown): unknown => {
  if (error instanceof DatabaseError) {
    if (isOfOldServer(error)) return new StoreUnavailableError(OLD_SERVER, { cause: error })
    if (isOfPooler(error)) return new StoreUnavailableError(POOLER, { cause: error })
    const known = OUTSIDE.find(([code]) => (error.code ?? '').startsWith(code))
    if (known === undefined) return error
    return new StoreUnavailableError(`${known[1]} (${error.code}: ${error.message})`, { cause: error })
  }
  if (isUnknownSigner(error)) return new StoreUnavailableError(UNKNOWN_SIGNER, { cause: error })
  const isOther = [TypeError, RangeError, StoreClosedError, StoreUnavailableError].some((one) => error instanceof one)
  if (!(error instanceof Error) || isOther) return error
  return new StoreUnavailableError(`PostgreSQL cannot be reached (${messageOf(error)})`, { cause: error })
}

/** Poolers refuse what they do not pass on, or pass on nothing. */
export const POOLER =
  'what each connection sets does not reach PostgreSQL, as through a pooler such as PgBouncer: connect to PostgreSQL itself'

const UNKNOWN_SIGNER =
  "PostgreSQL's certificate is signed by nobody who is known here: name its authority with sslrootcert=FILE in the URL"

const isUnknownSigner = (error: unknown): boolean =>
  error instanceof Error &&
  'code' in error &&
  /^(?:UNABLE_TO_(?:VERIFY|GET_ISSUER)|SELF_SIGNED|DEPTH_ZERO)/.test(String(error.code))

const OLD_SERVER = 'this PostgreSQL is too old: the service needs PostgreSQL 18'

const isOfOldServer = ({ message }: DatabaseError): boolean =>
  message === 'unrecognized configuration parameter "transaction_timeout"'

const isOfPooler = ({ message }: DatabaseError): boolean => message.startsWith('unsupported startup parameter')

/** Whether PostgreSQL itself says that the statement failed: then nothing of it is stored. */
export const storedNothing = (error: unknown): boolean =>
  isRefusal(error) || (error instanceof StoreUnavailableError && isRefusal(error.cause))

/** SQLSTATEs of a serialization failure and of a deadlock. */
const BECAUSE_OF_OTHERS: ReadonlySet<string | undefined> = new Set(['40001', '40P01'])

/**
 * Whether PostgreSQL gave up a statement only because of others that ran at the same moment. Nothing of the statement is
 * stored, and it may succeed at once.
 */
export const gaveUp = (error: unknown): boolean => isRefusal(error) && BECAUSE_OF_OTHERS.has(error.code)

/** Whether a statement waited for a lock for longer than it may, or for somebody who waited for it. */
export const waitedForLock = (error: unknown): boolean => {
  const cause = error instanceof StoreUnavailableError ? error.cause : error
  return gaveUp(cause) || (cause instanceof DatabaseError && cause.code === '55P03')
}

/** Whether a row is not there, or not any more, to which another one belongs or should have belonged. */
export const missesParent = (error: unknown): boolean =>
  error instanceof DatabaseError && (error.code === '23503' || error.code === 'P0002')

/** Whether the user lacks a right, also where another error says what failed because of it. */
export const isDenied = (error: unknown): boolean =>
  error instanceof Error && ((error instanceof DatabaseError && error.code === '42501') || isDenied(error.cause))

/** Whether a unique constraint was violated. */
export const violates = (error: unknown, constraint: string): boolean =>
  error instanceof DatabaseError && error.constraint === constraint

/** Whether the user cannot become one of our roles, because the database has none. */
export const lacksRoles = (error: unknown): boolean =>
  error instanceof DatabaseError && /parameter "role"|^role "wes_\w+" does not exist$/.test(error.message)
