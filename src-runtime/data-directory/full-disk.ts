// Says what to do when a runtime cannot start because there is no room for what it writes.

/** Of the system and of SQLite. */
const FULL: ReadonlySet<unknown> = new Set(['ENOSPC', 'EDQUOT', 'SQLITE_FULL', 'SQLITE_IOERR_SHMSIZE'])

type Coded = { readonly code?: unknown; readonly cause?: unknown }

const isFull = (error: unknown): boolean => {
  const { code, cause } = (error ?? {}) as Coded
  return FULL.has(code) || (cause !== undefined && isFull(cause))
}

/** Returns every other error as it is. */
export const explainFullDisk = (error: unknown, dataDir: string): unknown =>
  isFull(error)
    ? new Error(`the disk that holds the data directory ${dataDir} is full. Make room on it`, {
        cause: error,
      })
    : error
