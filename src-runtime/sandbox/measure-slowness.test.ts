import { expect, it } from 'vitest'
import { measureSlowness } from './measure-slowness.ts'

/** A sample of the reference machine. */
const REFERENCE_MS = 20_000 / 160_000

/** A clock that advances by `stepMs` at each call; a sample calls it at its beginning and its end. */
const clockOf = (steps: () => number) => {
  let at = 0
  return { now: () => (at += steps()), elapsed: () => at }
}

it.each([
  [1, 1],
  [2, 2],
  [0.5, 0.5],
  [0.01, 0.25],
  [50, 4],
])('a machine that takes %d times as long has slowness %d', (times, slowness) => {
  expect(measureSlowness(clockOf(() => REFERENCE_MS * times).now)).toBeCloseTo(slowness, 5)
})

it('uses the fastest sample', () => {
  let look = 0
  const busy = clockOf(() => (look++ === 62 ? REFERENCE_MS : 10))
  expect(measureSlowness(busy.now)).toBe(1)
})

it('ends on a machine that stays slow', () => {
  const slow = clockOf(() => 1)
  expect(measureSlowness(slow.now)).toBe(4)
  expect(slow.elapsed()).toBeLessThan(250)
})
