import { expect, it } from 'vitest'
import { createKeptIdle } from './kept-idle.ts'

it('keeps 256, and drops what was idle for longest', () => {
  const dropped: number[] = []
  const idle = createKeptIdle((key) => dropped.push(key))
  for (let key = 0; key < 256; key++) idle.add(key, 0)
  idle.remove(1)
  idle.add(0, 0)
  expect(dropped).toEqual([])
  for (const key of [256, 257]) idle.add(key, 0)
  expect(dropped).toEqual([2])
})

it('keeps 50,000 buffered events', () => {
  const dropped: number[] = []
  const idle = createKeptIdle((key) => dropped.push(key))
  for (let key = 0; key < 5; key++) idle.add(key, 10_000)
  idle.remove(3)
  idle.add(4, 9_000)
  idle.add(5, 10_000)
  expect(dropped).toEqual([])
  idle.add(6, 1_001)
  expect(dropped).toEqual([0])
  idle.add(1, 10_000)
  expect(dropped).toEqual([0])
})
