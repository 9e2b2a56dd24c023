import { expect, it } from 'vitest'
import { createManualClock } from '../shared/manual-clock.test-support.ts'
import type { DueMark } from '../store/store.ts'
import { createWakeUps } from './wake-ups.ts'

const T0 = 1_790_000_000_000

/** A store of what is due, in order. */
const storeOf = (marks: DueMark[], beforeRead = () => {}) => {
  const isAfter = (mark: DueMark, { dueAt, key, command }: DueMark) =>
    mark.dueAt - dueAt || mark.key - key || mark.command - command
  return {
    due: (after: DueMark, until: number, limit: number) => {
      beforeRead()
      return marks.filter((mark) => mark.dueAt <= until && isAfter(mark, after) > 0).slice(0, limit)
    },
    nextDueAt: (after: number) => marks.find(({ dueAt }) => dueAt > after)?.dueAt,
    retries: () => ({ effects: [], next: undefined }),
  }
}

it('wakes all that is due at the same millisecond when the store could not be read between two pages of it', () => {
  const clock = createManualClock(T0)
  const marks = Array.from({ length: 700 }, (_, index): DueMark => ({ dueAt: T0 + 10, key: index + 1, command: 1 }))
  let reads = 0
  const woken = new Set<number>()
  const errors: unknown[] = []
  const wakeUps = createWakeUps({
    executions: storeOf(marks, () => {
      reads += 1
      if (reads === 2) throw new Error('the disk does not answer')
    }),
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

it('wakes one timer after another, although the store cannot be read now and then', () => {
  const clock = createManualClock(T0)
  const marks = Array.from({ length: 12 }, (_, n): DueMark => ({ dueAt: T0 + n * 10_000, key: n + 1, command: 1 }))
  let reads = 0
  const woken: number[] = []
  const wakeUps = createWakeUps({
    executions: storeOf(marks, () => {
      if (++reads % 2 === 0) throw new Error('the disk does not answer')
    }),
    clock,
    onDue: (key) => woken.push(key),
    onError: () => {},
  })
  wakeUps.look()
  for (const _ of marks) clock.advance(10_000)
  expect([...new Set(woken)]).toEqual(marks.map(({ key }) => key))
  wakeUps.stop()
})

it('wakes what becomes due while thousands of overdue timers are worked off, stored before or since', () => {
  const clock = createManualClock(T0)
  // Each page takes 100 ms.
  const pages: (() => void)[] = []
  const after: typeof clock.after = (ms, act) => {
    if (ms > 0) return clock.after(ms, act)
    pages.push(act)
    return () => {}
  }
  const overdue = Array.from({ length: 20_000 }, (_, index): DueMark => ({ dueAt: T0 - 1, key: index + 1, command: 1 }))
  const stored: DueMark = { dueAt: T0 + 300, key: 100_001, command: 1 }
  const armed: DueMark = { dueAt: T0 + 500, key: 100_002, command: 1 }
  const marks = [...overdue, stored]
  const wokenAt = new Map<number, number>()
  const wakeUps = createWakeUps({
    executions: storeOf(marks),
    clock: { ...clock, after },
    onDue: (key) => void wokenAt.set(key, clock.now()),
    onError: (error) => {
      throw error
    },
  })
  wakeUps.look()
  marks.push(armed)
  wakeUps.arm(armed.dueAt)
  while (pages.length > 0) {
    clock.advance(100)
    pages.shift()?.()
  }
  expect(wokenAt.size).toBe(20_002)
  expect(wokenAt.get(stored.key)! - stored.dueAt).toBeLessThan(300)
  expect(wokenAt.get(armed.key)! - armed.dueAt).toBeLessThan(300)
  expect(clock.now() - T0).toBeGreaterThan(3_000)
})

it('wakes effects whose pause has become too long when the clock was set back, page by page, and no timers', () => {
  const clock = createManualClock(T0)
  const DAY_MS = 86_400_000
  const effect = (command: number, dueAt: number) =>
    ({ kind: 'effect', command, name: 'charge', since: T0, attempt: 2, options: {}, dueAt }) as const
  const marks = [1, 2, 3].map((key): DueMark => ({ dueAt: T0 + 400 + key, key, command: 1 }))
  const pages = [
    { effects: [{ key: 1, effect: effect(1, T0 + 401) }], next: { key: 1, command: 1 } },
    { effects: [{ key: 2, effect: effect(1, T0 + 402 - DAY_MS) }], next: undefined },
  ]
  const woken: number[] = []
  const errors: unknown[] = []
  let isReadable = true
  const wakeUps = createWakeUps({
    executions: {
      ...storeOf(marks),
      retries: ({ key }) => {
        if (!isReadable) throw new Error('the disk does not answer')
        return pages[key]!
      },
    },
    clock,
    onDue: (key) => woken.push(key),
    onError: (error) => errors.push(error),
  })
  wakeUps.start()
  clock.advance(0)
  expect(woken).toEqual([])
  clock.jump(T0 - DAY_MS)
  isReadable = false
  clock.advance(1_000)
  expect([woken, errors.length]).toEqual([[], 1])
  isReadable = true
  clock.advance(1_000)
  expect(woken).toEqual([1])
  wakeUps.stop()
})
