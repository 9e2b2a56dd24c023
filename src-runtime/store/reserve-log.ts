// A write-ahead log that has its full length from the beginning. Appending to a file changes its length, which a file
// system writes to its own journal with every flush; overwriting does not. SQLite overwrites the log after each checkpoint
// anyway, and takes zeros for the end of it.

import { closeSync, fdatasync, fstatSync, ftruncateSync, openSync, writeSync } from 'node:fs'
import type { Logger } from 'pino'
import { LOG_BYTES, logOf } from './database.ts'

/** Linux keeps what is written at once together in its cache, and then takes all of it for changed when a part of it is. */
const CHUNK_BYTES = 4_096

/**
 * Makes the log of an open database as long as it gets before a checkpoint. Writes without a pause, so that nothing is
 * appended meanwhile, and has the zeros flushed in the background. Where there is no room everything stays as it was: the
 * log then grows as it is needed.
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
