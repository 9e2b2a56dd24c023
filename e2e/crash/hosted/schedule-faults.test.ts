import { expect, it } from 'vitest'
import { scheduleFaults } from './schedule-faults.ts'

const FIRST = Date.parse('2026-11-22T12:00:00.000Z')
const fired = (...seconds: readonly number[]) =>
  seconds.map((second) => ({ at: FIRST + 1_000 * second, startedAt: FIRST + 1_000 * second + 20 }))

it('finds nothing wrong with a schedule that fired at each time', () => {
  expect(scheduleFaults(FIRST, 2_000, fired(4, 0, 2, 6))).toEqual([])
})

it.each([
  ['a time that never fired', fired(0, 2, 6), '12:00:04.000Z was missed'],
  ['a first time that never fired', fired(2), '12:00:00.000Z was missed'],
  ['a time that fired twice', fired(0, 0), '12:00:00.000Z was fired twice'],
  ['a time that is not its own', fired(0, 1), '12:00:01.000Z is none of its times'],
  ['a time that fired too early', [{ at: FIRST, startedAt: FIRST - 1 }], 'was fired too early'],
  ['a time that fired over an hour late', [{ at: FIRST, startedAt: FIRST + 3_600_001 }], 'was fired over an hour late'],
  ['a schedule that never fired', [], 'never fired'],
])('finds %s', (_what, firings, fault) => {
  expect(scheduleFaults(FIRST, 2_000, firings)).toEqual([expect.stringContaining(fault)])
})
