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

/** `what` names the request. `signal`: that of the caller, which ends it earlier. */
export const withinLimit = async <Answer>(
  limitMs: number,
  what: string,
  signal: WebAbortSignal | undefined,
  send: (signal: WebAbortSignal) => Promise<Answer>,
): Promise<Answer> => {
  const reason = (): unknown => signal?.reason ?? new Error(`${what} was aborted`)
  if (signal?.aborted) throw reason()
  const controller = new web.AbortController()
  let end = (_reason: unknown): void => {}
  const ended = new Promise<{ readonly reason: unknown }>((resolve) => {
    end = (reason) => {
      resolve({ reason })
      controller.abort()
    }
  })
  const abort = (): void => end(reason())
  const timer = limitMs > LONGEST_TIMER_MS ? undefined : web.setTimeout(() => end(timedOut(what, limitMs)), limitMs)
  signal?.addEventListener('abort', abort)
  try {
    const sent = send(controller.signal).then((answer) => ({ answer }))
    const first = await Promise.race([sent, ended])
    if ('reason' in first) throw first.reason
    return first.answer
  } finally {
    web.clearTimeout(timer)
    signal?.removeEventListener('abort', abort)
  }
}

const timedOut = (what: string, limitMs: number): ServiceRuntimeError =>
  new ServiceRuntimeError({
    status: 0,
    code: 'network_error',
    message: `${what} got no answer within ${limitMs / 1000} s`,
  })
