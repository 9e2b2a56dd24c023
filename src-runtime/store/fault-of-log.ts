// Looks at the write-ahead log that a killed runtime left. SQLite takes it up to the first frame that is not as it was written,
// and says nothing of what was stored behind it, nor of a log that is missing.

import { closeSync, openSync, readSync } from 'node:fs'
import type Database from 'better-sqlite3'

// From https://www.sqlite.org/fileformat2.html#the_write_ahead_log
const HEADER_BYTES = 32
const FRAME_HEADER_BYTES = 24
const MAGIC = 0x37_7f_06_82
const PAGE_SIZE = 8
const SALTS = 16
const SALTS_BYTES = 8
const HEADER_SUM = 24
const FRAME_SALTS = 8
/** In a frame's header: other than 0 in the last frame of a transaction. */
const COMMIT = 4

/** The log may be longer than what fits into memory, if another program kept it from being emptied. */
const PART_BYTES = 1_048_576

/** What a power failure interrupted was acknowledged to nobody, and its frames may have been written in any order. */
const UNACKNOWLEDGED = 1

/** As a sentence. */
export const missingLog = (log: string): string =>
  `${log} is missing, although its runtime was killed: what was stored last may be lost`

/**
 * What is wrong with the log, as a sentence. Undefined if everything that was acknowledged is there. To be called once something was read from
 * the database, and before anything is written: the next frame overwrites what stands behind a damage.
 */
export const faultOfLog = (db: Database.Database, log: string): string | undefined => {
  const [taken] = db.pragma('wal_checkpoint(NOOP)') as { readonly log: number }[]
  const frames = taken?.log ?? -1
  if (frames < 0) return undefined
  const lost = commitsBehind(log, frames)
  if (lost === undefined) return `${log} is damaged where it begins: everything that was stored in it is lost`
  if (lost <= UNACKNOWLEDGED) return undefined
  return `${log} is damaged: ${lost} transactions that were stored behind the damage are lost`
}

/** In frames that belong to the log, and that SQLite has not taken. Undefined if nothing tells how many. */
const commitsBehind = (file: string, frames: number): number | undefined => {
  const log = openSync(file, 'r')
  try {
    const header = partOf(log, 0, Buffer.alloc(HEADER_BYTES))
    if (header.length < HEADER_BYTES) return 0
    if (!isWhole(header)) return hasContent(log) ? undefined : 0
    const frameBytes = FRAME_HEADER_BYTES + header.readUInt32BE(PAGE_SIZE)
    const part = Buffer.alloc(frameBytes * Math.ceil(PART_BYTES / frameBytes))
    const salts = header.subarray(SALTS, SALTS + SALTS_BYTES)
    let commits = 0
    for (let from = HEADER_BYTES + frames * frameBytes; ; from += part.length) {
      const read = partOf(log, from, part)
      for (let at = 0; at + frameBytes <= read.length; at += frameBytes) {
        // Others are from before the last checkpoint.
        const isOfLog = read.subarray(at + FRAME_SALTS, at + FRAME_SALTS + SALTS_BYTES).equals(salts)
        if (isOfLog && read.readUInt32BE(at + COMMIT) !== 0) commits += 1
      }
      if (read.length < part.length) return commits
    }
  } finally {
    closeSync(log)
  }
}

/** A new log has its full length, and contains zeros. */
const hasContent = (log: number): boolean => partOf(log, 0, Buffer.alloc(PART_BYTES)).some((byte) => byte !== 0)

/** Fills the part, or reads as much as there is. */
const partOf = (log: number, from: number, part: Buffer): Buffer =>
  part.subarray(0, readSync(log, part, 0, part.length, from))

const isWhole = (header: Buffer): boolean => {
  const magic = header.readUInt32BE(0)
  if (magic !== MAGIC && magic !== MAGIC + 1) return false
  const isLittleEndian = magic === MAGIC
  const view = new DataView(header.buffer, header.byteOffset, HEADER_SUM)
  let one = 0
  let two = 0
  for (let at = 0; at < HEADER_SUM; at += 8) {
    one = (one + view.getUint32(at, isLittleEndian) + two) >>> 0
    two = (two + view.getUint32(at + 4, isLittleEndian) + one) >>> 0
  }
  return header.readUInt32BE(HEADER_SUM) === one && header.readUInt32BE(HEADER_SUM + 4) === two
}
