import { expect, it } from 'vitest'
import { createConnectionRate } from './connection-rate.ts'

it('lets each workspace open so many connections in a second, and says when the next second begins', () => {
  let at = 5_000
  const rate = createConnectionRate(() => at, 3)
  expect([rate.add('wsp_1'), rate.add('wsp_1')]).toEqual([0, 0])
  at += 400
  // What had come already when it was refused counts, too.
  expect([rate.add('wsp_1'), rate.add('wsp_1')]).toEqual([600, 600])
  expect(rate.add('wsp_2')).toBe(0)
  at += 600
  expect([rate.add('wsp_1'), rate.add('wsp_1'), rate.add('wsp_1')]).toEqual([0, 0, 1_000])
})
