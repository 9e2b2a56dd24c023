// Time as an argument: the system clock in production, a manual clock in tests.

export type Clock = {
  /** The wall clock, in ms since the epoch. */
  now(): number
  /** In ms from any origin. Independent of changes of the wall clock; may stop while the machine sleeps. */
  monotonic(): number
  /** Calls back once after `ms`, unless cancelled. Does not keep the process alive. */
  after(ms: number, callback: () => void): Cancel
}

export type Cancel = () => void

/** The limit of setTimeout, 2^31 - 1 ms. Callers set longer timers again. */
const LONGEST_MS = 2_147_483_647

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  after: (ms, callback) => {
    const timer = setTimeout(callback, Math.min(Math.max(ms, 0), LONGEST_MS))
    timer.unref()
    return () => clearTimeout(timer)
  },
}
