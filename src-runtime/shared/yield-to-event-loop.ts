const EVERY_MS = 8

/** Await the returned function between steps of long work: it yields to the event loop every few ms. */
export const createYield = (everyMs = EVERY_MS): (() => Promise<void>) => {
  let since = performance.now()
  return async () => {
    if (performance.now() - since < everyMs) return
    await new Promise((resolve) => setImmediate(resolve))
    since = performance.now()
  }
}

/** The same for work that is asked for at many places at once, which then begins one by one. */
export const createYieldInTurn = (): (() => Promise<void>) => {
  const yieldToEventLoop = createYield()
  let last = Promise.resolve()
  return () => (last = last.then(yieldToEventLoop))
}
