import { expect, it } from 'vitest'
import type { OpenCommand } from '../../src-runtime/engine/execution-state.ts'
import { addOpen, beginLive } from '../../src-runtime/engine/live-execution.ts'
import { queuedHead } from '../../src-runtime/engine/memory-row.ts'
import { hasLeaseEnded, keepWakeAt, nextAskedTimerAt, OWNED_LEASE_MS, wakeAtOf, type Waiting } from './look-again.ts'

const NOW = 1_000_000

it.each([
  ['a lease that was begun a moment ago', NOW + 9_000, NOW + 10_000, NOW + 9_000],
  ['a lease that is half over', NOW + 4_999, NOW + 10_000, NOW + 10_000],
  ['a time that is later than wanted', NOW + 10_000, NOW + 9_000, NOW + 9_000],
  ['a timer that is much later', NOW + 9_000, NOW + 3_600_000, NOW + 3_600_000],
  ['a timer that is due now', NOW, NOW + 20, NOW + 20],
  ['no time yet', undefined, NOW + 10_000, NOW + 10_000],
  ['no time any more', NOW + 9_000, undefined, undefined],
])('of %s, the row keeps only what is nearly as late as wanted', (_what, stored, wanted, kept) => {
  expect(keepWakeAt(stored, wanted, NOW, 10_000)).toBe(kept)
})

const waiting = (...open: readonly OpenCommand[]): Waiting => {
  const live = beginLive(queuedHead({ id: 'exe_1', programId: 'order', createdAt: NOW }), '{}')
  for (const command of open) addOpen(live, command)
  return { live, graceEndsAt: undefined }
}
const timer = (command: number, ms: number): OpenCommand => ({ kind: 'timer', command, since: NOW, dueAt: NOW + ms })
const effect: OpenCommand = { kind: 'effect', command: 9, name: 'charge', since: NOW, attempt: 1, options: {} }

it.each([
  [
    'asks Restate for a short timer, and looks at it only if that message was lost',
    [timer(1, 1_000)],
    NOW + 1_000,
    NOW + 11_000,
  ],
  ['asks nobody for a longer one, and looks when it is due', [timer(1, 1_001)], undefined, NOW + 1_001],
  ['asks for the short one of two', [timer(1, 60_000), timer(2, 500)], NOW + 500, NOW + 10_500],
  ['looks for a lost attempt before a timer that is much later', [timer(1, 60_000), effect], undefined, NOW + 10_000],
  ['looks for a short timer that is overdue no sooner', [timer(1, -60_000)], NOW - 60_000, NOW + 10_000],
  [
    'looks when the timer is due, if that is before the attempt may be lost',
    [timer(1, 9_000), effect],
    undefined,
    NOW + 9_000,
  ],
])('%s', (_what, open, asked, wakeAt) => {
  expect(nextAskedTimerAt(waiting(...open))).toBe(asked)
  expect(wakeAtOf(waiting(...open), NOW, 10_000)).toBe(wakeAt)
})

it('notes each end of a lease of an attempt once', () => {
  const open = { ...effect, dueAt: NOW + 1_000 }
  const between = (from: number, to: number) => hasLeaseEnded(open, open.dueAt + from, open.dueAt + to)
  expect(between(-5_000, OWNED_LEASE_MS - 1)).toBe(false)
  expect(between(OWNED_LEASE_MS - 1, OWNED_LEASE_MS)).toBe(true)
  expect(between(OWNED_LEASE_MS, 2 * OWNED_LEASE_MS - 1)).toBe(false)
  expect(between(OWNED_LEASE_MS, 2 * OWNED_LEASE_MS)).toBe(true)
})
