import { expect, test } from 'vitest'
import { createSlowPrograms } from './slow-programs.ts'

const code = (executionId: string, versionId: string, programId = 'program', tenant?: string) => ({
  ...{ executionId, versionId, programId },
  ...(tenant !== undefined && { tenant }),
})

test('an Execution does not run alone at first', () => {
  expect(createSlowPrograms().runsAlone(code('exe_1', 'ver_1'), true)).toBe(false)
})

test('an Execution that was slow runs alone from then on', () => {
  const slow = createSlowPrograms()
  slow.noteSlow(code('exe_1', 'ver_1'))
  slow.noteRan(code('exe_1', 'ver_1'), true)
  expect(slow.runsAlone(code('exe_1', 'ver_1'), false)).toBe(true)
  expect(slow.runsAlone(code('exe_2', 'ver_1'), true)).toBe(false)
  expect([slow.noteKill(code('exe_1', 'ver_1')), slow.noteKill(code('exe_1', 'ver_1'))]).toEqual([1, 2])
  slow.noteRan(code('exe_1', 'ver_1'), true)
  expect(slow.noteKill(code('exe_1', 'ver_1'))).toBe(1)
  slow.forget('exe_1')
  expect(slow.runsAlone(code('exe_1', 'ver_1'), false)).toBe(false)
})

test('an Execution whose host ended runs alone until it was quick; these ends are counted', () => {
  const slow = createSlowPrograms()
  expect(slow.noteKill(code('exe_1', 'ver_1'))).toBe(1)
  expect(slow.runsAlone(code('exe_1', 'ver_1'), false)).toBe(true)
  expect(slow.noteKill(code('exe_1', 'ver_1'))).toBe(2)
  slow.noteRan(code('exe_1', 'ver_1'), true)
  expect(slow.runsAlone(code('exe_1', 'ver_1'), false)).toBe(false)
  expect(slow.noteKill(code('exe_1', 'ver_1'))).toBe(1)
})

test('new Executions of a version that is mostly slow start alone, until it is quicker', () => {
  const slow = createSlowPrograms()
  slow.noteSlow(code('exe_1', 'ver_1'))
  slow.noteKill(code('exe_2', 'ver_1'))
  expect(slow.runsAlone(code('exe_9', 'ver_1'), true)).toBe(true)
  expect(slow.runsAlone(code('exe_9', 'ver_1'), false)).toBe(false)
  expect(slow.runsAlone(code('exe_9', 'ver_2', 'other'), true)).toBe(false)
  for (let index = 0; index < 20; index++) slow.noteRan(code(`exe_good_${index}`, 'ver_1'), true)
  expect(slow.runsAlone(code('exe_9', 'ver_1'), true)).toBe(false)
})

test('a version that silenced the shared host starts alone at once', () => {
  const slow = createSlowPrograms()
  slow.noteSilent(code('exe_1', 'ver_1'))
  expect(slow.runsAlone(code('exe_1', 'ver_1'), false)).toBe(true)
  expect(slow.runsAlone(code('exe_2', 'ver_1'), true)).toBe(true)
})

test('a version that is always slow stays slow, however often it ran alone', () => {
  const slow = createSlowPrograms()
  slow.noteSilent(code('exe_1', 'ver_1'))
  for (let index = 0; index < 100; index++) slow.noteRan(code(`exe_${index}`, 'ver_1'), false)
  expect(slow.runsAlone(code('exe_new', 'ver_1'), true)).toBe(true)
  expect(slow.isProven('ver_1')).toBe(false)
})

test('an Execution that is slow time and again counts as slow once', () => {
  const slow = createSlowPrograms()
  slow.noteSlow(code('exe_1', 'ver_1'))
  for (let turn = 0; turn < 3; turn++) slow.noteRan(code('exe_1', 'ver_1'), false)
  expect(slow.runsAlone(code('exe_2', 'ver_1'), true)).toBe(false)
})

test('new versions of a Program that was slow four times in a minute run alone until they were quick', () => {
  let now = 0
  const slow = createSlowPrograms(() => now)
  const runsAlone = (versionId: string, programId: string) =>
    [true, false].map((isNew) => slow.runsAlone(code('exe_new', versionId, programId), isNew))
  const noteQuick = (versionId: string, times: number) => {
    for (let time = 0; time < times; time++) slow.noteRan(code(`exe_${time}`, versionId, 'often'), true)
  }
  noteQuick('ver_proven', 100)
  for (let number = 1; number <= 4; number++) {
    expect(runsAlone('ver_new', 'often')).toEqual([false, false])
    now += 10_000
    slow.noteSlow(code(`exe_slow_${number}`, `ver_slow_${number}`, 'often'))
  }
  noteQuick('ver_proven', 100)
  expect(['ver_new', 'ver_proven'].map((versionId) => runsAlone(versionId, 'often'))).toEqual([
    [true, true],
    [false, false],
  ])
  expect(runsAlone('ver_new', 'other')).toEqual([false, false])
  noteQuick('ver_new', 3)
  expect(runsAlone('ver_new', 'often')).toEqual([false, false])
  expect(runsAlone('ver_next', 'often')).toEqual([true, true])
  now = 70_000
  expect(runsAlone('ver_next', 'often')).toEqual([false, false])
})

test('a Program that was slow four times in a minute says nothing of another one of its tenant, nor of another tenant', () => {
  const slow = createSlowPrograms(() => 0)
  for (const id of ['1', '2', '3', '4']) slow.noteSlow(code(`exe_${id}`, `ver_${id}`, 'program_1', 'noisy'))
  expect(slow.runsAlone(code('exe_5', 'ver_5', 'program_1', 'noisy'), true)).toBe(true)
  expect(slow.runsAlone(code('exe_5', 'ver_6', 'program_5', 'noisy'), true)).toBe(false)
  expect(slow.runsAlone(code('exe_6', 'ver_6', 'program_1', 'quiet'), true)).toBe(false)
})

test('what a version was long ago counts less than what it is now', () => {
  const slow = createSlowPrograms()
  for (let index = 0; index < 1_000; index++) slow.noteRan(code(`exe_${index}`, 'ver_1'), true)
  for (let index = 0; index < 20; index++) slow.noteSlow(code(`exe_slow_${index}`, 'ver_1'))
  expect(slow.runsAlone(code('exe_new', 'ver_1'), true)).toBe(true)
  for (let index = 0; index < 1_000; index++) slow.noteSlow(code(`exe_slow_${index}`, 'ver_2'))
  for (let index = 0; index < 300; index++) slow.noteRan(code(`exe_${index}`, 'ver_2'), true)
  expect(slow.runsAlone(code('exe_new', 'ver_2'), true)).toBe(false)
})

test('a version is proven after a few quick activations, until it is slow', () => {
  const slow = createSlowPrograms()
  for (let index = 0; index < 3; index++) {
    expect(slow.isProven('ver_1')).toBe(false)
    slow.noteRan(code(`exe_${index}`, 'ver_1'), true)
  }
  expect(slow.isProven('ver_1')).toBe(true)
  slow.noteSilent(code('exe_1', 'ver_1'))
  expect(slow.isProven('ver_1')).toBe(false)
})

test('the number of entries is limited', () => {
  const slow = createSlowPrograms()
  for (let index = 0; index < 20_000; index++) slow.noteSlow(code(`exe_${index}`, `ver_${index}`, `program_${index}`))
  expect(slow.runsAlone(code('exe_0', 'ver_x'), false)).toBe(false)
  expect(slow.runsAlone(code('exe_19999', 'ver_x'), false)).toBe(true)
})
