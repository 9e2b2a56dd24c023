import { copyFileSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { openDatabase } from './database.ts'
import { reserveLog } from './reserve-log.ts'
import { START, temporaryDirectory } from './store-rig.test-support.ts'

/** The files of a runtime that was killed after it had stored these many numbers, each in a transaction. */
const killed = (numbers: number, { checkpointAfter = 0 } = {}): { readonly file: string; readonly log: string } => {
  const used = join(temporaryDirectory(), 'wes.sqlite')
  const db = openDatabase({ file: used, now: () => START })
  reserveLog(used)
  db.exec('CREATE TABLE numbers (number INTEGER)')
  for (let number = 1; number <= numbers; number += 1) {
    db.prepare('INSERT INTO numbers VALUES (?)').run(number)
    if (number === checkpointAfter) db.pragma('wal_checkpoint(RESTART)')
  }
  const file = join(temporaryDirectory(), 'wes.sqlite')
  copyFileSync(used, file)
  copyFileSync(`${used}-wal`, `${file}-wal`)
  db.close()
  return { file, log: `${file}-wal` }
}

const numbersIn = (file: string): unknown => {
  const db = openDatabase({ file, now: () => START })
  try {
    return db.prepare('SELECT count(*) FROM numbers').pluck().get()
  } finally {
    db.close()
  }
}

/** What is said of the log when the database is opened after a kill. */
const faultOf = (file: string): string | undefined => {
  let said: string | undefined
  openDatabase({ file, now: () => START, onLogFault: (fault) => (said = fault) }).close()
  return said
}

const flip = (log: string, at: number): void => {
  const bytes = readFileSync(log)
  bytes[at]! ^= 0xff
  writeFileSync(log, bytes)
}

const FRAME_BYTES = 1_048

it('finds no fault in the log of a runtime that was killed', () => {
  const { file } = killed(10)
  expect(faultOf(file)).toBeUndefined()
  expect(numbersIn(file)).toBe(10)
})

it('finds no fault in what was written before a checkpoint', () => {
  const { file } = killed(10, { checkpointAfter: 8 })
  expect(faultOf(file)).toBeUndefined()
  expect(numbersIn(file)).toBe(10)
})

it('finds no fault in an empty log, in one of zeros, or without a database', () => {
  const { file, log } = killed(0)
  truncateSync(log, 0)
  expect(faultOf(file)).toBeUndefined()
  writeFileSync(log, Buffer.alloc(100_000))
  expect(faultOf(file)).toBeUndefined()
  rmSync(file)
  expect(faultOf(file)).toBeUndefined()
})

it('says that the log is missing', () => {
  const { file, log } = killed(10)
  rmSync(log)
  expect(faultOf(file)).toBe(`${log} is missing, although its runtime was killed: what was stored last may be lost`)
})

it('says how many transactions stand behind a damaged place', () => {
  const { file, log } = killed(10)
  // In the page of the schema, which the numbers follow.
  flip(log, readFileSync(log).lastIndexOf('CREATE TABLE numbers'))
  const fault = faultOf(file)
  expect(fault).toMatch(/ is damaged: \d+ transactions that were stored behind the damage are lost$/)
  expect(Number(/\d+(?= transactions)/.exec(fault!)?.[0])).toBeGreaterThanOrEqual(10)
})

it('takes a last transaction that was written in part for what it is', () => {
  const { file, log } = killed(10)
  const bytes = readFileSync(log)
  let end = 32
  while (bytes.readUInt32BE(end) !== 0) end += FRAME_BYTES
  flip(log, end - 1)
  expect(faultOf(file)).toBeUndefined()
  expect(numbersIn(file)).toBe(9)
})

it('says that a log is damaged where it begins', () => {
  const { file, log } = killed(10)
  flip(log, 17)
  expect(faultOf(file)).toBe(`${log} is damaged where it begins: everything that was stored in it is lost`)
})
