// Scans on request, one scan at a time, and again if that fails. Requests in quick succession are combined, because a save
// often causes several changes.

export type SyncLoop = {
  /** Scans soon after the last request. */
  request(): void
  /** Scans soon, although nothing is known to have changed; not if such scans would take more than a fifth of the time. */
  poll(): void
  /** Scans now. Settles after the scan. */
  lookNow(): Promise<void>
  /** Waits for the running scan, which may fail by then. */
  stop(): Promise<void>
}

/** Gets the time of the first request (`performance.now()`), and resolves to the delay until the next scan, in ms. */
export type Look = (askedAt: number) => Promise<number | undefined>

/** The first of several delays. */
export const soonest = (...delays: readonly (number | undefined)[]): number | undefined => {
  const known = delays.filter((delay) => delay !== undefined)
  return known.length === 0 ? undefined : Math.min(...known)
}

const QUIET_MS = 25
/** Scans after this time even if changes do not stop. */
const LONGEST_WAIT_MS = 250
/** After a scan that failed; each pause is twice as long as the one before. */
const FIRST_RETRY_MS = 1_000
const LONGEST_RETRY_MS = 30_000
/** How many times the duration of a scan passes before the next one that was polled. */
const RESTS_TIMES = 4

export const createSyncLoop = (look: Look, onError: (error: unknown) => void): SyncLoop => {
  let askedAt: number | undefined
  let timer: NodeJS.Timeout | undefined
  let again: NodeJS.Timeout | undefined
  let looking: Promise<void> | undefined
  let stopped = false
  let retryMs = FIRST_RETRY_MS
  /** Nothing is polled before (`performance.now()`). */
  let restsUntil = 0

  const scan = async (asked: number): Promise<number | undefined> => {
    try {
      const againMs = await look(asked)
      retryMs = FIRST_RETRY_MS
      return againMs
    } catch (error) {
      // A Ctrl-C also ends the process that bundles. Its signal may be read only in the next turn of the event loop, which the
      // first of these may still precede.
      await new Promise(setImmediate)
      await new Promise(setImmediate)
      // What was cut short has failed.
      if (stopped) return undefined
      onError(error)
      const pauseMs = retryMs
      retryMs = Math.min(2 * pauseMs, LONGEST_RETRY_MS)
      return pauseMs
    }
  }

  const run = async (): Promise<void> => {
    clearTimeout(timer)
    clearTimeout(again)
    timer = undefined
    const asked = askedAt ?? performance.now()
    askedAt = undefined
    const startedAt = performance.now()
    const againMs = await scan(asked)
    const endedAt = performance.now()
    restsUntil = endedAt + RESTS_TIMES * (endedAt - startedAt)
    if (againMs !== undefined && !stopped) again = setTimeout(request, againMs)
  }

  const lookNow = async (): Promise<void> => {
    while (looking !== undefined) await looking
    if (stopped) return
    looking = run().finally(() => {
      looking = undefined
      if (askedAt !== undefined) arm()
    })
    await looking
  }

  const arm = () => {
    if (stopped || looking !== undefined) return
    clearTimeout(timer)
    const waited = performance.now() - (askedAt ?? 0)
    timer = setTimeout(() => void lookNow(), Math.max(0, Math.min(QUIET_MS, LONGEST_WAIT_MS - waited)))
  }

  const request = () => {
    askedAt ??= performance.now()
    arm()
  }

  return {
    request,
    poll: () => {
      if (looking === undefined && performance.now() >= restsUntil) request()
    },
    lookNow,
    stop: async () => {
      stopped = true
      clearTimeout(timer)
      clearTimeout(again)
      await looking
    },
  }
}
