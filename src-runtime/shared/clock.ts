// Time as an argument: the system's in production, a manual one in tests.

export type Clock = {
  /** Wall clock, in ms since the epoch. */
  now(): number
  /** Grows evenly whatever is done to the wall clock; in ms, from any origin. It may stand still while the machine sleeps. */
  monotonic(): number
  /** Calls back once after `ms`, unless cancelled. Does not keep the process alive. */
  after(ms: number, callback: () => void): Cancel
}

export type Cancel = () => void

/** setTimeout's own limit is 2^31 - 1 ms; anything longer is asked for again by who set it. */
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
