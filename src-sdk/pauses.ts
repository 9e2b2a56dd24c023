// The pauses between requests that are repeated: each is longer than the one before, up to a limit.

import type { ServiceRuntimeError } from './service-runtime-error.ts'
import { type WebAbortSignal, web } from './web-platform.ts'

const FIRST_PAUSE_MS = 100
const LONGEST_PAUSE_MS = 5_000
/** Of a `Retry-After`. */
export const LONGEST_ASKED_FOR_MS = 60_000
/**
 * Attempts and planned pauses after which an unreachable service counts as gone. A laptop's sleep does not count, and
 * neither does the time for which the service asked with `Retry-After`.
 */
const OUTAGE_BUDGET_MS = 120_000

export type Pauses = {
  /** The next one is short again. */
  restart(): void
  /** `deadline`: of `web.performance`. */
  afterAnswer(deadline: number, signal: WebAbortSignal | undefined): Promise<void>
  afterFailure(error: ServiceRuntimeError, deadline: number, signal: WebAbortSignal | undefined): Promise<void>
  /** Counts an attempt that failed, by its duration. */
  countFailure(attemptMs: number): void
  /** The last attempt failed. */
  isOutage(): boolean
  /** The service has been unreachable for too long. */
  areSpent(): boolean
}

export const createPauses = (): Pauses => {
  let pause = FIRST_PAUSE_MS
  let outage: number | undefined

  const take = async (atLeast: number, deadline: number, signal: WebAbortSignal | undefined): Promise<number> => {
    // Spread out, so that many waiters do not all come back at once.
    const own = pause * (0.75 + Math.random() / 2)
    const planned = Math.max(own, Math.min(atLeast, LONGEST_ASKED_FOR_MS))
    await sleep(Math.min(planned, deadline - web.performance.now()), signal)
    pause = Math.min(pause * 1.5, LONGEST_PAUSE_MS)
    return own
  }

  return {
    restart: () => {
      pause = FIRST_PAUSE_MS
      outage = undefined
    },
    afterAnswer: async (deadline, signal) => {
      outage = undefined
      await take(0, deadline, signal)
    },
    afterFailure: async (error, deadline, signal) => {
      outage = (outage ?? 0) + (await take(error.retryAfterMs ?? 0, deadline, signal))
    },
    countFailure: (attemptMs) => {
      // The service may have held the request of the first failure.
      outage = outage === undefined ? 0 : outage + attemptMs
    },
    isOutage: () => outage !== undefined,
    areSpent: () => (outage ?? 0) >= OUTAGE_BUDGET_MS,
  }
}

/** Ends early when the signal aborts. */
export const sleep = (delayMs: number, signal: WebAbortSignal | undefined): Promise<void> =>
  new Promise((resolve) => {
    const end = (): void => {
      web.clearTimeout(timer)
      signal?.removeEventListener('abort', end)
      resolve()
    }
    const timer = web.setTimeout(end, Math.max(0, delayMs))
    if (signal?.aborted) end()
    else signal?.addEventListener('abort', end)
  })
