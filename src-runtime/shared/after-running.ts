// A time limit for what others answer. A process that stood still (stopped, or on a machine that was paused) has read nothing meanwhile,
// and its timers are over before it reads what has come.

import type { Cancel } from './clock.ts'

const STEP_MS = 1_000

/** Calls back once after `ms`, unless cancelled. Standing still counts as a second at most. */
export const afterRunning = (ms: number, callback: () => void): Cancel => {
  let steps = Math.ceil(ms / STEP_MS)
  const timer = setInterval(() => {
    steps -= 1
    if (steps > 0) return
    clearInterval(timer)
    callback()
  }, ms / steps)
  return () => clearInterval(timer)
}
