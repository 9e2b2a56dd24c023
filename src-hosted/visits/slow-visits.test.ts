import { expect, it } from 'vitest'
import { createSlowVisits } from './slow-visits.ts'

const full = (entered: readonly string[], versionId: string): boolean => {
  const slow = createSlowVisits(() => 0)
  for (const one of entered) slow.enter('w', one)
  return slow.isFull('w', versionId)
}

it('lets a few of one version wait, a few of one workspace, and always one of a version of which none waits', () => {
  expect(full(['a', 'a', 'a'], 'a')).toBe(false)
  expect(full(['a', 'a', 'a', 'a'], 'a')).toBe(true)
  expect(full(['a', 'a', 'a', 'a', 'b', 'b', 'b'], 'b')).toBe(false)
  expect(full(['a', 'a', 'a', 'a', 'b', 'b', 'b', 'c'], 'b')).toBe(true)
  expect(full(['a', 'a', 'a', 'a', 'b', 'b', 'b', 'b'], 'c')).toBe(false)
  const slow = createSlowVisits(() => 0)
  const leave = ['a', 'a', 'a', 'a'].map((one) => slow.enter('w', one))
  expect(slow.isFull('w', 'a')).toBe(true)
  leave[0]!()
  expect(slow.isFull('w', 'a')).toBe(false)
})

it('lets many slow versions of one workspace not turn away those of another', () => {
  const many = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i']
  expect(full([...many, 'z'], 'z')).toBe(true)
  const slow = createSlowVisits(() => 0)
  for (const one of many) slow.enter('busy', one)
  slow.enter('quiet', 'z')
  expect(slow.isFull('busy', 'a')).toBe(true)
  expect(slow.isFull('quiet', 'z')).toBe(false)
})

it('lets those that were turned away come back one after the other, however many they are', () => {
  let at = 0
  const slow = createSlowVisits(() => at)
  const delays = Array.from({ length: 600 }, () => slow.turnAway('w'))
  expect(delays.slice(0, 3)).toEqual([1_000, 1_020, 1_040])
  expect(delays.at(-1)).toBe(1_000 + 599 * 20)
  at = 1_000
  expect(slow.turnAway('w')).toBe(600 * 20)
  at = 60_000
  expect(slow.turnAway('w')).toBe(1_000)
  // The store takes whole milliseconds.
  at = 60_000.7
  expect(slow.turnAway('w')).toBe(1_020)
})

it('lets those of one workspace not wait behind those of another', () => {
  let at = 0
  const slow = createSlowVisits(() => at)
  for (let count = 0; count < 10_000; count += 1) slow.turnAway('busy')
  expect([slow.turnAway('quiet'), slow.turnAway('quiet')]).toEqual([1_000, 1_020])
  at = 60_000
  expect([slow.turnAway('quiet'), slow.turnAway('busy')]).toEqual([1_000, 141_000])
})
