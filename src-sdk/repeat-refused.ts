// Sends a request again that the service refused for the moment. Waits and streams have pauses of their own.

import { LONGEST_ASKED_FOR_MS, sleep } from './pauses.ts'
import { ServiceRuntimeError } from './service-runtime-error.ts'
import type { Repeat, TransportRequest } from './transport.ts'
import { isPassing } from './wait-for-result.ts'
import { type WebAbortSignal, web } from './web-platform.ts'

export const MAX_RETRIES = 4
/** On average; doubled for each further repeat. */
const FIRST_PAUSE_MS = 500
const LONGEST_PAUSE_MS = 8_000

/** Throws when it is not a number of times. */
export const checkMaxRetries = (maxRetries: number): number => {
  if (Number.isInteger(maxRetries) && maxRetries >= 0) return maxRetries
  throw new TypeError(`maxRetries is a number of times, 0 or more, not ${String(maxRetries)}`)
}

export const repeatRefused =
  (maxRetries: number): Repeat =>
  async (request, deadline, signal, send) => {
    const refusals = createRefusals(maxRetries, isSafeToRepeat(request), deadline)
    for (;;) {
      try {
        return await send()
      } catch (error) {
        await refusals.pauseAfter(error, signal)
        if (signal.aborted) throw error
      }
    }
  }

const isSafeToRepeat = ({ method, headers }: TransportRequest): boolean =>
  method === 'GET' || headers?.['Idempotency-Key'] !== undefined

export type Refusals = {
  /** Throws the error if the request is not to be sent again before the deadline. */
  pauseAfter(error: unknown, signal: WebAbortSignal | undefined): Promise<void>
}

/** Of one request. `deadline`: of `web.performance`. */
export const createRefusals = (maxRetries: number, isSafe: boolean, deadline: number): Refusals => {
  let count = 0
  return {
    pauseAfter: async (error, signal) => {
      if (count >= maxRetries || !isForTheMoment(error, isSafe)) throw error
      const askedFor = error.retryAfterMs ?? 0
      // Spread out, so that callers who were refused together do not all come back at once.
      const ownPause = Math.min(FIRST_PAUSE_MS * 2 ** count, LONGEST_PAUSE_MS) * (0.5 + Math.random())
      const pause = askedFor + ownPause
      if (askedFor > LONGEST_ASKED_FOR_MS || web.performance.now() + pause >= deadline) throw error
      count += 1
      await sleep(pause, signal)
    },
  }
}

/** A request that is refused with 429 has done nothing. Behind other statuses, it may have done what it asks for. */
const isForTheMoment = (error: unknown, isSafe: boolean): error is ServiceRuntimeError =>
  error instanceof ServiceRuntimeError && error.status !== 0 && isPassing(error) && (isSafe || error.status === 429)
