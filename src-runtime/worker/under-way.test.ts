import { appendFileSync, existsSync, mkdirSync, readFileSync, statSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { temporaryFolder } from '../shared/temporary-folder.test-support.ts'
import { openUnderWay } from './under-way.ts'

const newFile = () => join(temporaryFolder('under-way'), 'effects-under-way')
const one = { executionId: 'exe_01jxmpe000e008000000000001', command: 1, attempt: 2 }
const other = { ...one, command: 7 }

it('returns to the next process the attempts that were running when the last one ended, whatever else is in the file', async () => {
  const file = newFile()
  const first = openUnderWay(file)
  first.begin(one)
  first.begin(other)
  first.end(one)
  await setImmediate()
  appendFileSync(file, 'noise\n+exe_01jxmpe000e0080000000')
  const second = openUnderWay(file)
  expect(second.died()).toEqual([other])
  second.clear()
  expect(openUnderWay(file).died()).toEqual([])
  expect(statSync(file).mode & 0o777).toBe(0o600)
})

it('returns nothing after a stop, even if work continues', async () => {
  const file = newFile()
  const notes = openUnderWay(file)
  notes.begin(one)
  await setImmediate()
  notes.begin(other)
  notes.close()
  notes.begin(other)
  notes.end(one)
  notes.close()
  await setImmediate()
  expect(readFileSync(file, 'utf8')).toBe('')
})

it('has a limited size', async () => {
  const file = newFile()
  const notes = openUnderWay(file)
  for (let n = 1; n < 3_000; n++) {
    notes.begin({ ...one, command: n })
    await setImmediate()
    notes.end({ ...one, command: n })
  }
  expect(statSync(file).size).toBeLessThan(100_000)
})

it('has a limited size, and forgets nothing, while some attempts always run', async () => {
  const file = newFile()
  const notes = openUnderWay(file)
  for (const attempt of [one, other]) notes.begin(attempt)
  for (let n = 100; n < 3_000; n++) {
    notes.begin({ ...one, command: n })
    notes.end({ ...one, command: n })
    await setImmediate()
  }
  expect(statSync(file).size).toBeLessThan(100_000)
  expect(openUnderWay(file).died()).toEqual([one, other])
})

it.skipIf(process.platform !== 'linux')('does not mind that the disk is full', async () => {
  const notes = openUnderWay('/dev/full')
  notes.begin(one)
  await setImmediate()
  notes.end(one)
  await setImmediate()
  expect(() => notes.clear()).not.toThrow()
})

it('does not mind that the file cannot be read', () => {
  const file = newFile()
  mkdirSync(file)
  expect(openUnderWay(file).died()).toEqual([])
})

it('follows no links', async () => {
  const file = newFile()
  const target = newFile()
  symlinkSync(target, file)
  openUnderWay(file).begin(one)
  await setImmediate()
  expect(existsSync(target)).toBe(false)
})

it('keeps for the next process what nobody has read yet', async () => {
  const file = newFile()
  openUnderWay(file).begin(one)
  await setImmediate()
  openUnderWay(file).close()
  expect(openUnderWay(file).died()).toEqual([one])
})
