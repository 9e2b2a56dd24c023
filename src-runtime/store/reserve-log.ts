// Gives the write-ahead log its full length from the start. When a file grows, the file system writes its new length to
// its own journal with every flush; overwriting avoids that. SQLite overwrites the log after each checkpoint anyway,
// and treats zeros as its end.

import { closeSync, fdatasync, fstatSync, ftruncateSync, openSync, writeSync } from 'node:fs'
import type { Logger } from 'pino'
import { LOG_BYTES, logOf } from './database.ts'

/** Linux caches one large write as one unit, and later marks all of it as changed when a part changes. */
const CHUNK_BYTES = 4_096

/**
 * Extends the log of an open database to its size before a checkpoint. Writes synchronously, so that nothing is
 * appended meanwhile; the zeros are flushed in the background. Without enough disk space the log stays as it was, and
 * grows as needed.
 */
export const reserveLog = (databaseFile: string, log?: Logger): void => {
  try {
    const file = openSync(logOf(databaseFile), 'r+')
    const { size } = fstatSync(file)
    try {
      fillWithZeros(file, size)
    } catch (error) {
      ftruncateSync(file, size)
      closeSync(file)
      throw error
    }
    fdatasync(file, () => closeSync(file))
  } catch (error) {
    log?.warn({ err: error }, 'no room could be reserved for the write-ahead log')
  }
}

const fillWithZeros = (file: number, from: number): void => {
  const zeros = Buffer.alloc(CHUNK_BYTES)
  for (let at = from; at < LOG_BYTES;) at += writeSync(file, zeros, 0, Math.min(CHUNK_BYTES, LOG_BYTES - at), at)
}
