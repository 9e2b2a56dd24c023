// A clock that only the test moves.

import type { Clock } from './clock.ts'

export const createManualClock = (start: number) => {
  let elapsed = 0
  /** The wall clock minus the elapsed time. */
  let ahead = start
  const timers = new Set<{ readonly at: number; readonly callback: () => void }>()
  const clock: Clock = {
    now: () => elapsed + ahead,
    monotonic: () => elapsed,
    after: (ms, callback) => {
      const timer = { at: elapsed + Math.max(ms, 0), callback }
      timers.add(timer)
      return () => timers.delete(timer)
    },
  }
  return {
    ...clock,
    /** Moves the clock, and calls back due timers in order. */
    advance: (ms: number): void => {
      const until = elapsed + ms
      for (;;) {
        const next = [...timers].filter(({ at }) => at <= until).toSorted((a, b) => a.at - b.at)[0]
        if (next === undefined) break
        timers.delete(next)
        elapsed = Math.max(elapsed, next.at)
        next.callback()
      }
      elapsed = until
    },
    /** Sets the wall clock without calling timers, as when the machine slept or the clock was corrected. */
    jump: (to: number): void => {
      ahead = to - elapsed
    },
    pending: () => timers.size,
  }
}
