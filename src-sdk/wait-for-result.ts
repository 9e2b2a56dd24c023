// The wait behind `result()`: long-polls where the service supports it, otherwise polls with back-off, and continues
// across a restart of the service. Repeating the request is safe, because it only reads.

import type { JsonValue, ResultView } from './contract-types.ts'
import { isPermanent } from './network-failure.ts'
import { createPauses } from './pauses.ts'
import { executionEnded, ServiceRuntimeError } from './service-runtime-error.ts'
import { type WebAbortSignal, web } from './web-platform.ts'

export type WaitOptions = {
  /** Ends the wait, not the Execution: the wait rejects with the signal's `reason`. */
  readonly signal?: WebAbortSignal | undefined
  /** Milliseconds until the wait rejects with code `wait_timeout`. The default is no limit. */
  readonly timeout?: number | undefined
}

export type ResultAnswer = {
  readonly view: KnownView
  /** Whether the service held the request. */
  readonly held: boolean
}

/** Sends one request. `holdSeconds` is for `Prefer: wait`. */
export type ReadResult = (holdSeconds: number, signal: WebAbortSignal) => Promise<ResultAnswer>

/** Less than 60 s, after which common proxies close a silent connection. */
const HOLD_SECONDS = 50
/** Of the requests after a failure, so that an answer soon ends an outage. */
const OUTAGE_HOLD_SECONDS = 1
/** The way of a held answer, which comes before the deadline, so that the wait's end can say what the service said. */
const ANSWER_MS = 250
/** A held request without a response after this time has a dead connection. */
const HOLD_GRACE_MS = 15_000
/** Only a computer that slept misses the deadline by this much. It then asks for as long again, because the Execution may have ended. */
const LATE_MS = 5_000

/**
 * How many requests may be held at once; further waits poll. If every wait held one, no other call could be sent meanwhile,
 * such as the event for which the Execution waits: browsers open six connections to a server without TLS, for all their
 * tabs, and Bun sends 256 requests at once.
 */
const mostHeld = (): number => {
  if (web.location?.protocol === 'http:') return 2
  return web.Bun === undefined ? Infinity : 200
}
let heldCount = 0

/** Throws when `timeout` is not a number of milliseconds. */
export const checkTimeout = (timeout: number): void => {
  if (!(timeout >= 0)) throw new TypeError(`A wait's timeout is a number of milliseconds, not ${String(timeout)}`)
}

/** Its errors name the Execution: a caller of `run()` knows the id from them alone. */
export const waitForResult = async (id: string, ...wait: Wait): Promise<unknown> => {
  try {
    return await readUntilEnd(id, ...wait)
  } catch (error) {
    if (error instanceof ServiceRuntimeError) error.executionId ??= id
    throw error
  }
}

/** `known` is the Execution as received a moment ago; it may have ended. `deadline`: of `web.performance`, of a `timeout` that began earlier. */
type Wait = [
  read: ReadResult,
  options?: WaitOptions & { readonly deadline?: number },
  known?: Pick<ResultView, 'status' | 'result' | 'error'>,
]

const readUntilEnd = async (id: string, ...[read, options = {}, known]: Wait): Promise<unknown> => {
  const { signal, timeout = Infinity } = options
  checkTimeout(timeout)
  const end = known && endOf(id, known)
  if (end !== undefined) return end.result
  const { deadline: planned = web.performance.now() + timeout } = options
  let deadline = planned
  const pauses = createPauses()
  let last: ServiceRuntimeError | undefined
  let isKnown = known !== undefined

  for (;;) {
    const askedAt = web.performance.now()
    if (deadline === planned && askedAt - deadline >= LATE_MS) deadline = askedAt + LATE_MS
    const remaining = deadline - askedAt
    if (signal?.aborted) throw signal.reason ?? new Error(`The wait for Execution ${id} was aborted`)
    if (remaining <= 0) throw timedOut(id, timeout, isKnown, last)

    const longestHold = pauses.isOutage() ? OUTAGE_HOLD_SECONDS : HOLD_SECONDS
    const beforeDeadline = Math.max(0, Math.floor((remaining - ANSWER_MS) / 1000))
    const holdSeconds = heldCount < mostHeld() ? Math.min(longestHold, beforeDeadline) : 0
    const isHeld = holdSeconds > 0
    if (isHeld) heldCount += 1
    const asking = ask((limit) => read(holdSeconds, limit), { holdSeconds, remaining, signal })
    const answer = await asking.finally(() => void (isHeld && (heldCount -= 1)))
    if (answer.kind === 'ended') continue // aborted or at the deadline: the loop's head says which
    if (answer.kind === 'view') {
      const ended = endOf(id, answer.view)
      if (ended !== undefined) return ended.result
      isKnown = true
      last = undefined
      if (answer.held && web.performance.now() - askedAt >= 1000) pauses.restart()
      else await pauses.afterAnswer(deadline, signal)
    } else {
      pauses.countFailure(answer.attemptMs)
      if (pauses.areSpent() && timeout === Infinity) throw answer.error
      last = answer.error
      await pauses.afterFailure(answer.error, deadline, signal)
    }
  }
}

type KnownView = Pick<ResultView, 'status' | 'error'> & { readonly result?: JsonValue }

/** `undefined` while the Execution has not ended. Throws when it failed or was cancelled. */
const endOf = (
  id: string,
  { status, result, error }: KnownView,
): { readonly result: JsonValue | undefined } | undefined => {
  if (status === 'completed') return { result }
  if (status === 'failed' || status === 'cancelled') throw executionEnded(id, status, error)
  return undefined
}

type Asked =
  | { readonly kind: 'view'; readonly view: KnownView; readonly held: boolean }
  | { readonly kind: 'unavailable'; readonly error: ServiceRuntimeError; readonly attemptMs: number }
  | { readonly kind: 'ended' }

/** Sends one request, limited by the caller's signal, the deadline, and the time limit for dead connections. */
export const ask = async (
  read: (signal: WebAbortSignal) => Promise<ResultAnswer>,
  bounds: {
    readonly holdSeconds: number
    /** Milliseconds. */
    readonly remaining: number
    readonly signal: WebAbortSignal | undefined
  },
): Promise<Asked> => {
  const { holdSeconds, remaining, signal } = bounds
  const longest = holdSeconds * 1000 + HOLD_GRACE_MS
  const controller = new web.AbortController()
  const askedAt = web.performance.now()
  // At most `longest`: while a laptop sleeps, the clock of some platforms runs and their timers stand still.
  const unavailable = (error: ServiceRuntimeError): Asked => ({
    kind: 'unavailable',
    error,
    attemptMs: Math.min(web.performance.now() - askedAt, longest),
  })
  let limit = (): void => {}
  // Do not wait for a `fetch` that ignores its signal.
  const limited = new Promise<'limit'>((resolve) => {
    limit = () => {
      resolve('limit')
      controller.abort()
    }
  })
  const timer = web.setTimeout(limit, Math.min(remaining, longest))
  signal?.addEventListener('abort', limit)
  try {
    const reading = read(controller.signal).then(
      (answer): Asked => ({ kind: 'view', ...answer }),
      (error: unknown): Asked => {
        if (error instanceof ServiceRuntimeError && isPassing(error)) return unavailable(error)
        throw error
      },
    )
    const first = await Promise.race([reading, limited])
    if (first !== 'limit') return first
    reading.catch(() => {}) // the caller no longer waits for it
    return signal?.aborted || remaining <= longest ? { kind: 'ended' } : unavailable(silence())
  } finally {
    web.clearTimeout(timer)
    signal?.removeEventListener('abort', limit)
  }
}

/** Retries after refused and reset connections, restarts behind a proxy, and requests to slow down. */
export const isPassing = (error: ServiceRuntimeError): boolean => {
  const { status, code, cause } = error
  if (status === 0) return code === 'network_error' && !isPermanent(cause)
  if (code === 'quota_exceeded') return false
  return [408, 429, 502, 503, 504].includes(status) || isOfGateway(error)
}

/** Whether a gateway says in its own way that it got no answer, such as Cloudflare with 521. The service has codes. */
export const isOfGateway = ({ status, code }: ServiceRuntimeError): boolean => status > 500 && code === `http_${status}`

export const silence = (): ServiceRuntimeError =>
  new ServiceRuntimeError({ status: 0, code: 'network_error', message: 'The service does not answer' })

/** `isKnown`: the service has said that it had not ended. */
const timedOut = (id: string, timeout: number, isKnown: boolean, cause: unknown): ServiceRuntimeError =>
  new ServiceRuntimeError({
    status: 0,
    code: 'wait_timeout',
    message:
      (isKnown
        ? `Execution ${id} had not ended after ${timeout / 1_000} s`
        : `The service gave no answer about Execution ${id} within ${timeout / 1_000} s`) +
      (cause instanceof Error ? `; the last attempt failed: ${cause.message}` : ''),
    cause,
  })
