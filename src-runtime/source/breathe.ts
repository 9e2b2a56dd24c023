import { setImmediate } from 'node:timers/promises'

/** Long work in steps: awaited between them, lets the rest of the process have its turn every few ms. */
export const createBreath = (everyMs = 8): (() => Promise<void>) => {
  let since = performance.now()
  return async () => {
    if (performance.now() - since < everyMs) return
    await setImmediate()
    since = performance.now()
  }
}
