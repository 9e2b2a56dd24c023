import { setImmediate } from 'node:timers/promises'

/** Await the returned function between steps of long work: it yields to the event loop every few ms. */
export const createYield = (everyMs = 8): (() => Promise<void>) => {
  let since = performance.now()
  return async () => {
    if (performance.now() - since < everyMs) return
    await setImmediate()
    since = performance.now()
  }
}
