import { onTestFinished, vi } from 'vitest'

const setTimer = globalThis.setTimeout

/** Longer than any test takes. */
export const NEVER_MS = 2 ** 31 - 1

/** Timers take as long as `change` makes of what they are set to, until the test ends or calls this again. */
export const changeTimers = (change: (ms: number) => number): void => {
  const later = (act: (...given: unknown[]) => void, ms = 0, ...given: unknown[]) => setTimer(act, change(ms), ...given)
  const spy = vi.spyOn(globalThis, 'setTimeout').mockImplementation(later as typeof setTimeout)
  onTestFinished(() => spy.mockRestore())
}
