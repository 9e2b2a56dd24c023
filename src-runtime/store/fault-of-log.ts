// Looks at the write-ahead log that a killed runtime left. SQLite takes it up to the first frame that is not as it was written,
// and says nothing of what was stored behind it, nor of a log that is missing.

import { closeSync, existsSync, openSync, readSync } from 'node:fs'
import { logOf, sizeOf } from './database.ts'

// From https://www.sqlite.org/fileformat2.html#the_write_ahead_log
const HEADER_BYTES = 32
const FRAME_HEADER_BYTES = 24
const MAGIC = 0x37_7f_06_82
const PAGE_SIZE = 8
const SALTS = 16
const SALTS_BYTES = 8
const HEADER_SUM = 24
const FRAME_SALTS = 8
const FRAME_SUM = 16
/** In a frame's header: other than 0 in the last frame of a transaction. */
const COMMIT = 4

/** The log may be longer than what fits into memory, if another program kept it from being emptied. */
const PART_BYTES = 1_048_576

/** What a power failure interrupted was acknowledged to nobody, and its frames may have been written in any order. */
const UNACKNOWLEDGED = 1

/** What is wrong with the log, as a sentence. Undefined if everything that was acknowledged is there. Call it before the database is opened. */
export const faultOfLog = (databaseFile: string): string | undefined => {
  if (sizeOf(databaseFile) === 0) return undefined
  const file = logOf(databaseFile)
  if (!existsSync(file)) return `${file} is missing, although its runtime was killed: what was stored last may be lost`
  const lost = commitsBehindDamage(file)
  if (lost === undefined) return `${file} is damaged where it begins: everything that was stored in it is lost`
  if (lost <= UNACKNOWLEDGED) return undefined
  return `${file} is damaged: ${lost} transactions that were stored behind the damage are lost`
}

/** Undefined if nothing tells how many. */
const commitsBehindDamage = (file: string): number | undefined => {
  const log = openSync(file, 'r')
  try {
    const header = partOf(log, 0, HEADER_BYTES)
    if (header.length < HEADER_BYTES) return 0
    const magic = header.readUInt32BE(0)
    const isBigEndian = magic === MAGIC + 1
    const sum = addTo([0, 0], header.subarray(0, HEADER_SUM), isBigEndian)
    if (!isBigEndian && magic !== MAGIC) return hasContent(log) ? undefined : 0
    return isAt(header, HEADER_SUM, sum) ? commitsCut(log, header, { sum, isBigEndian }) : undefined
  } finally {
    closeSync(log)
  }
}

/** A new log has its full length, and contains zeros. */
const hasContent = (log: number): boolean => partOf(log, 0, PART_BYTES).some((byte) => byte !== 0)

const commitsCut = (
  log: number,
  header: Buffer,
  { sum: headerSum, isBigEndian }: { readonly sum: Sum; readonly isBigEndian: boolean },
): number => {
  const frameBytes = FRAME_HEADER_BYTES + header.readUInt32BE(PAGE_SIZE)
  const partBytes = frameBytes * Math.ceil(PART_BYTES / frameBytes)
  const salts = header.subarray(SALTS, SALTS + SALTS_BYTES)
  let sum = headerSum
  let isWhole = true
  let commits = 0
  for (let from = HEADER_BYTES, part = partOf(log, from, partBytes); part.length >= frameBytes;) {
    for (let at = 0; at + frameBytes <= part.length; at += frameBytes) {
      const frame = part.subarray(at, at + frameBytes)
      // From before the last checkpoint.
      const isOlder = !frame.subarray(FRAME_SALTS, FRAME_SALTS + SALTS_BYTES).equals(salts)
      if (isWhole) {
        sum = addTo(sum, frame.subarray(0, FRAME_SALTS), isBigEndian)
        sum = addTo(sum, frame.subarray(FRAME_HEADER_BYTES), isBigEndian)
        isWhole = !isOlder && isAt(frame, FRAME_SUM, sum)
      }
      if (!isWhole && !isOlder && frame.readUInt32BE(COMMIT) !== 0) commits += 1
    }
    from += partBytes
    part = partOf(log, from, partBytes)
  }
  return commits
}

/** Shorter at the end of the file. */
const partOf = (log: number, from: number, bytes: number): Buffer => {
  const part = Buffer.alloc(bytes)
  return part.subarray(0, readSync(log, part, 0, bytes, from))
}

type Sum = readonly [number, number]

const addTo = ([first, second]: Sum, bytes: Buffer, isBigEndian: boolean): Sum => {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
  let one = first
  let two = second
  for (let at = 0; at < bytes.length; at += 8) {
    one = (one + view.getUint32(at, !isBigEndian) + two) >>> 0
    two = (two + view.getUint32(at + 4, !isBigEndian) + one) >>> 0
  }
  return [one, two]
}

const isAt = (bytes: Buffer, at: number, [one, two]: Sum): boolean =>
  bytes.readUInt32BE(at) === one && bytes.readUInt32BE(at + 4) === two
