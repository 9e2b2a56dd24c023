import { expect, test } from 'vitest'
import { createSlowMemory } from './slow-memory.ts'

test('nobody runs alone at first', () => {
  expect(createSlowMemory().runsAlone('exe_1', 'ver_1', true)).toBe(false)
})

test('an Execution that was slow runs alone from then on', () => {
  const memory = createSlowMemory()
  memory.noteSlow('exe_1', 'ver_1')
  memory.noteGood('exe_1', 'ver_1')
  expect(memory.runsAlone('exe_1', 'ver_1', false)).toBe(true)
  expect(memory.runsAlone('exe_2', 'ver_1', true)).toBe(false)
  memory.forget('exe_1')
  expect(memory.runsAlone('exe_1', 'ver_1', false)).toBe(false)
})

test('a suspect runs alone until it is cleared, and its kills are counted', () => {
  const memory = createSlowMemory()
  expect(memory.noteKill('exe_1')).toBe(1)
  expect(memory.runsAlone('exe_1', 'ver_1', false)).toBe(true)
  expect(memory.noteKill('exe_1')).toBe(2)
  memory.noteGood('exe_1', 'ver_1')
  expect(memory.runsAlone('exe_1', 'ver_1', false)).toBe(false)
  expect(memory.noteKill('exe_1')).toBe(1)
})

test('new Executions of a version that is mostly slow start alone, until it does better', () => {
  const memory = createSlowMemory()
  memory.noteSlow('exe_1', 'ver_1')
  memory.noteCulprit('ver_1')
  expect(memory.runsAlone('exe_9', 'ver_1', true)).toBe(true)
  expect(memory.runsAlone('exe_9', 'ver_1', false)).toBe(false)
  expect(memory.runsAlone('exe_9', 'ver_2', true)).toBe(false)
  for (let index = 0; index < 20; index++) memory.noteGood(`exe_good_${index}`, 'ver_1')
  expect(memory.runsAlone('exe_9', 'ver_1', true)).toBe(false)
})

test('it does not grow without end', () => {
  const memory = createSlowMemory()
  for (let index = 0; index < 20_000; index++) memory.noteSlow(`exe_${index}`, `ver_${index}`)
  expect(memory.runsAlone('exe_0', 'ver_x', false)).toBe(false)
  expect(memory.runsAlone('exe_19999', 'ver_x', false)).toBe(true)
})
