import { expect, test } from 'vitest'
import { createSlowPrograms } from './slow-programs.ts'

test('an Execution does not run alone at first', () => {
  expect(createSlowPrograms().runsAlone('exe_1', 'ver_1', true)).toBe(false)
})

test('an Execution that was slow runs alone from then on', () => {
  const slow = createSlowPrograms()
  slow.noteSlow('exe_1', 'ver_1')
  slow.noteGood('exe_1', 'ver_1')
  expect(slow.runsAlone('exe_1', 'ver_1', false)).toBe(true)
  expect(slow.runsAlone('exe_2', 'ver_1', true)).toBe(false)
  expect([slow.noteKill('exe_1', 'ver_1'), slow.noteKill('exe_1', 'ver_1')]).toEqual([1, 2])
  slow.noteGood('exe_1', 'ver_1')
  expect(slow.noteKill('exe_1', 'ver_1')).toBe(1)
  slow.forget('exe_1')
  expect(slow.runsAlone('exe_1', 'ver_1', false)).toBe(false)
})

test('an Execution whose host ended runs alone until it was quick; these ends are counted', () => {
  const slow = createSlowPrograms()
  expect(slow.noteKill('exe_1', 'ver_1')).toBe(1)
  expect(slow.runsAlone('exe_1', 'ver_1', false)).toBe(true)
  expect(slow.noteKill('exe_1', 'ver_1')).toBe(2)
  slow.noteGood('exe_1', 'ver_1')
  expect(slow.runsAlone('exe_1', 'ver_1', false)).toBe(false)
  expect(slow.noteKill('exe_1', 'ver_1')).toBe(1)
})

test('new Executions of a version that is mostly slow start alone, until it is quicker', () => {
  const slow = createSlowPrograms()
  slow.noteSlow('exe_1', 'ver_1')
  slow.noteKill('exe_2', 'ver_1')
  expect(slow.runsAlone('exe_9', 'ver_1', true)).toBe(true)
  expect(slow.runsAlone('exe_9', 'ver_1', false)).toBe(false)
  expect(slow.runsAlone('exe_9', 'ver_2', true)).toBe(false)
  for (let index = 0; index < 20; index++) slow.noteGood(`exe_good_${index}`, 'ver_1')
  expect(slow.runsAlone('exe_9', 'ver_1', true)).toBe(false)
})

test('a version that silenced the shared host starts alone at once', () => {
  const slow = createSlowPrograms()
  slow.noteSilent('exe_1', 'ver_1')
  expect(slow.runsAlone('exe_1', 'ver_1', false)).toBe(true)
  expect(slow.runsAlone('exe_2', 'ver_1', true)).toBe(true)
})

test('what a version was long ago counts less than what it is now', () => {
  const slow = createSlowPrograms()
  for (let index = 0; index < 1_000; index++) slow.noteGood(`exe_${index}`, 'ver_1')
  for (let index = 0; index < 20; index++) slow.noteSlow(`exe_slow_${index}`, 'ver_1')
  expect(slow.runsAlone('exe_new', 'ver_1', true)).toBe(true)
  for (let index = 0; index < 1_000; index++) slow.noteSlow(`exe_slow_${index}`, 'ver_2')
  for (let index = 0; index < 300; index++) slow.noteGood(`exe_${index}`, 'ver_2')
  expect(slow.runsAlone('exe_new', 'ver_2', true)).toBe(false)
})

test('a version is proven after a few quick activations, until it is slow', () => {
  const slow = createSlowPrograms()
  for (let index = 0; index < 3; index++) {
    expect(slow.isProven('ver_1')).toBe(false)
    slow.noteGood(`exe_${index}`, 'ver_1')
  }
  expect(slow.isProven('ver_1')).toBe(true)
  slow.noteSilent('exe_1', 'ver_1')
  expect(slow.isProven('ver_1')).toBe(false)
})

test('the number of entries is limited', () => {
  const slow = createSlowPrograms()
  for (let index = 0; index < 20_000; index++) slow.noteSlow(`exe_${index}`, `ver_${index}`)
  expect(slow.runsAlone('exe_0', 'ver_x', false)).toBe(false)
  expect(slow.runsAlone('exe_19999', 'ver_x', false)).toBe(true)
})
