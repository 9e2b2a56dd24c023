import { expect, it } from 'vitest'
import { createManualClock } from '../shared/manual-clock.test-support.ts'
import type { DueMark } from '../store/store.ts'
import { createWakeUps } from './wake-ups.ts'

const T0 = 1_790_000_000_000

it('wakes all that is due at the same millisecond when the store could not be read between two pages of it', () => {
  const clock = createManualClock(T0)
  const marks = Array.from({ length: 700 }, (_, index): DueMark => ({ dueAt: T0 + 10, key: index + 1, command: 1 }))
  const isAfter = (mark: DueMark, { dueAt, key, command }: DueMark) =>
    mark.dueAt - dueAt || mark.key - key || mark.command - command
  let reads = 0
  const woken = new Set<number>()
  const errors: unknown[] = []
  const wakeUps = createWakeUps({
    executions: {
      due: (after, until, limit) => {
        reads += 1
        if (reads === 2) throw new Error('the disk does not answer')
        return marks.filter((mark) => mark.dueAt <= until && isAfter(mark, after) > 0).slice(0, limit)
      },
      nextDueAt: (after) => marks.find(({ dueAt }) => dueAt > after)?.dueAt,
    },
    clock,
    onDue: (key) => woken.add(key),
    onError: (error) => errors.push(error),
  })
  wakeUps.arm(T0 + 10)
  clock.advance(10)
  expect([woken.size, errors.length]).toEqual([500, 1])
  clock.advance(2_000)
  expect(woken.size).toBe(700)
})
