// Tells in the log which requests could not be served. A full disk refuses many: the first of a reason is told, and then every ten
// seconds how many more there were.

import type { Logger } from 'pino'

const INTERVAL_MS = 10_000

/** By reason, how many are not told yet. */
const untold = new WeakMap<Logger, Map<string, number>>()

export const logUnserved = (log: Logger, reason: string, requestId: string): void => {
  const counts = untold.get(log) ?? new Map<string, number>()
  untold.set(log, counts)
  const count = counts.get(reason)
  if (count !== undefined) return void counts.set(reason, count + 1)
  log.warn({ reason, requestId }, 'a request could not be served')
  countMore(log, counts, reason)
}

const countMore = (log: Logger, counts: Map<string, number>, reason: string): void => {
  counts.set(reason, 0)
  const tell = (): void => {
    const requests = counts.get(reason)
    counts.delete(reason)
    if (requests === undefined || requests === 0) return
    log.warn({ reason, requests }, 'more requests could not be served')
    countMore(log, counts, reason)
  }
  setTimeout(tell, INTERVAL_MS).unref()
}
