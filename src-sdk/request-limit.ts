// The time limit of a single request, whatever `fetch` does about its signal. Held requests and the stream of changes have
// limits of their own.

import { ServiceRuntimeError } from './service-runtime-error.ts'
import { type WebAbortSignal, web } from './web-platform.ts'

/** Long enough to upload a large artifact on a slow connection. */
export const REQUEST_LIMIT_MS = 75_000
/** Timers would treat more as no time at all. */
const LONGEST_TIMER_MS = 2_147_483_647

/** Throws when it is not a number of milliseconds. */
export const checkRequestLimit = (timeout: number): number => {
  if (timeout > 0) return timeout
  throw new TypeError(`The timeout of requests is a number of milliseconds, more than 0, not ${String(timeout)}`)
}

/** `what` names the request. */
export const withinLimit = async <Answer>(
  limitMs: number,
  what: string,
  send: (signal: WebAbortSignal) => Promise<Answer>,
): Promise<Answer> => {
  const controller = new web.AbortController()
  if (limitMs > LONGEST_TIMER_MS) return send(controller.signal)
  let end = (): void => {}
  const ended = new Promise<never>((_, reject) => {
    end = () => {
      reject(
        new ServiceRuntimeError({
          status: 0,
          code: 'network_error',
          message: `${what} got no answer within ${limitMs / 1000} s`,
        }),
      )
      controller.abort()
    }
  })
  const timer = web.setTimeout(end, limitMs)
  try {
    return await Promise.race([send(controller.signal), ended])
  } finally {
    web.clearTimeout(timer)
  }
}
