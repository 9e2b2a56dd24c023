import { expect, test } from 'vitest'
import { createStallClock } from './stall-clock.ts'

const after = (...ticks: readonly (readonly [elapsedMs: number, cpuMs?: number])[]): number => {
  const clock = createStallClock()
  for (const [elapsedMs, cpuMs] of ticks) clock.tick(elapsedMs, cpuMs, 0.1)
  return clock.stalledMs
}

test('counts elapsed time if the CPU time is unknown', () => {
  expect(after([100], [100], [100])).toBe(300)
})

test('counts CPU time if it is known', () => {
  expect(after([100, 1000], [100, 1030], [100, 1090])).toBe(100 + 30 + 60)
})

test('counts a share of the elapsed time for a host that uses no CPU', () => {
  expect(after([100, 50], [100, 50], [100, 50])).toBe(100 + 10 + 10)
})

test('counts no CPU time while it cannot be read', () => {
  expect(after([100, 50], [100], [100], [100, 90])).toBe(100 + 10 + 10 + 40)
  const clock = createStallClock()
  for (const cpuMs of [50, undefined, 90]) clock.tick(100, cpuMs, 0.1)
  expect(clock.busyMs).toBe(100 + 0 + 40)
})

test('limits the time of a late tick, after the machine slept', () => {
  expect(after([3_600_000])).toBe(200)
  expect(after([100, 0], [3_600_000, 3_600_000])).toBe(300)
})

test('starts again at each message', () => {
  const clock = createStallClock()
  clock.tick(100, undefined, 0.1)
  clock.reset()
  clock.tick(50, undefined, 0.1)
  expect(clock.stalledMs).toBe(50)
})

test('measures how long a host has neither sent anything nor used CPU', () => {
  const clock = createStallClock()
  for (const cpuMs of [10, 20, 20, 20]) clock.tick(100, cpuMs, 0)
  expect([clock.busyMs, clock.motionlessMs]).toEqual([110, 200])
})
