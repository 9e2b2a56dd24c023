// The running attempts of this process. Each gets its input, signal and time limit, and ends once.

import { format } from 'node:util'
import { logLimits, type EffectHostLimits } from '../effect-host-limits.ts'
import { cancelled, timedOut } from '../failures.ts'
import type { EffectRequest, FromHost } from '../messages.ts'
import { createAttemptLog, type AttemptLog } from './attempt-log.ts'
import { AbortController, clearTimeout, DOMException, parse, setTimeout } from './built-ins.ts'
import { isError, isRetryable, read, type DescribeError } from './describe-error.ts'
import type { Guarded } from './guard-process.ts'
import { resultData } from './result-data.ts'
import { work, type RunningAttempt } from './work.ts'

export type Attempts = {
  begin(request: EffectRequest): void
  cancel(id: number): void
  /** For errors outside the effect's own promise. */
  fail(attempt: RunningAttempt, failure: { readonly prefix: string; readonly thrown: unknown }): void
  abortAll(reason: string): void
  /** Under way. */
  readonly size: number
  /** Ended attempts whose code still runs. */
  readonly left: number
}

/** The runtime watches longer timeouts: `setTimeout` would fire at once. */
const LONGEST_TIMER_MS = 2_147_483_647

export const createAttempts = (deps: {
  readonly limits: EffectHostLimits
  readonly say: (message: FromHost) => void
  /** Sends a log promptly, in case the process dies soon. */
  readonly sayLog: (message: FromHost) => void
  /** `left` has grown. */
  readonly sayLeft: () => void
  readonly exported: (bundle: string, name: string) => unknown
  readonly describe: DescribeError
  /** The last one ended. */
  readonly onIdle: () => void
  /** Runs the host's own code. */
  readonly guarded: Guarded
}): Attempts => {
  const { limits, say, sayLog, sayLeft, exported, describe, onIdle, guarded } = deps
  const running = new Map<number, RunningAttempt>()
  let left = 0

  const end = (attempt: RunningAttempt, outcome: Extract<FromHost, { kind: 'completed' | 'failed' }>): void => {
    if (attempt.over) return
    clearTimeout(attempt.timer)
    attempt.log.close()
    attempt.over = true
    if (!attempt.returned) {
      left += 1
      sayLeft()
    }
    running.delete(attempt.request.id)
    say(outcome)
    if (running.size === 0) onIdle()
  }

  const complete = (attempt: RunningAttempt, result: unknown): void => {
    if (attempt.over) return
    const { id, name } = attempt.request
    const checked = resultData(name, result)
    if (checked.ok) end(attempt, { kind: 'completed', id, data: checked.data })
    else end(attempt, { kind: 'failed', id, error: checked.error, retryable: false })
  }

  const failWith = (attempt: RunningAttempt, thrown: unknown): void => {
    if (attempt.over) return
    if (attempt.timedOut) return failTimedOut(attempt, thrown)
    const { id } = attempt.request
    end(attempt, { kind: 'failed', id, error: describe(thrown), retryable: isRetryable(thrown) })
  }

  const failTimedOut = (attempt: RunningAttempt, thrown?: unknown): void => {
    const { id, name, timeoutMs } = attempt.request
    const stack = thrown === undefined || isAbort(thrown, attempt) ? undefined : `caused by: ${describe(thrown).stack}`
    end(attempt, { ...timedOut(name, timeoutMs, '', stack), id })
  }

  const onTime = (attempt: RunningAttempt): void => {
    const { name, timeoutMs } = attempt.request
    attempt.timedOut = true
    attempt.timer = setTimeout(guarded, limits.graceMs, failTimedOut, attempt)
    abort(attempt, new DOMException(timedOut(name, timeoutMs).error.message, 'TimeoutError'))
  }

  const giveUp = (attempt: RunningAttempt): void => {
    const { id, name } = attempt.request
    end(attempt, { ...cancelled(name), id })
  }

  const call = async (
    attempt: RunningAttempt,
    effect: (input: unknown, context: unknown) => unknown,
  ): Promise<void> => {
    const { executionId, attempt: number, idempotencyKey, data } = attempt.request
    const { signal } = attempt.controller
    const { input } = parse(data) as { readonly input?: unknown }
    const context = { executionId, attempt: number, idempotencyKey, signal, log: logOf(attempt.log) }
    let result: unknown
    try {
      result = await effect(input, context)
    } catch (error) {
      markReturned(attempt)
      return guarded(failWith, attempt, error)
    }
    markReturned(attempt)
    guarded(complete, attempt, result)
  }

  const markReturned = (attempt: RunningAttempt): void => {
    attempt.returned = true
    if (attempt.over) left -= 1
  }

  return {
    begin: (request) => {
      const { id, bundle, name, timeoutMs } = request
      const attempt: RunningAttempt = {
        kind: 'attempt',
        request,
        controller: new AbortController(),
        log: createAttemptLog(logLimits(limits, request.attempt), (line) => sayLog({ kind: 'log', id, lines: [line] })),
        over: false,
        returned: false,
        timedOut: false,
        timer: undefined,
      }
      running.set(id, attempt)
      const effect = exported(bundle, name)
      if (typeof effect !== 'function') return end(attempt, { ...notAFunction(name), id })
      if (timeoutMs <= LONGEST_TIMER_MS) attempt.timer = setTimeout(guarded, timeoutMs, onTime, attempt)
      void work.run(attempt, call, attempt, effect as (input: unknown, context: unknown) => unknown)
    },
    cancel: (id) => {
      const attempt = running.get(id)
      if (attempt === undefined) return
      // Code that ignores the signal would keep its place until its time is up.
      clearTimeout(attempt.timer)
      attempt.timer = setTimeout(guarded, limits.cancelGraceMs, giveUp, attempt)
      abort(attempt, new DOMException('the Execution no longer awaits this', 'AbortError'))
    },
    fail: (attempt, { prefix, thrown }) => {
      if (attempt.over) return
      const error = describe(thrown)
      const message = `${prefix}: ${error.message}`
      const { id } = attempt.request
      end(attempt, { kind: 'failed', id, error: { ...error, message }, retryable: isRetryable(thrown) })
    },
    abortAll: (reason) => {
      for (const attempt of running.values()) abort(attempt, new DOMException(reason, 'AbortError'))
    },
    get size() {
      return running.size
    },
    get left() {
      return left
    },
  }
}

const abort = (attempt: RunningAttempt, reason: DOMException): void =>
  work.run(attempt, () => attempt.controller.abort(reason))

const isAbort = (thrown: unknown, { controller }: RunningAttempt): boolean =>
  thrown === controller.signal.reason || (isError(thrown) && read(thrown, 'name') === 'AbortError')

const logOf = (log: AttemptLog) => ({
  debug: (...values: unknown[]) => log.add('debug', format(...values)),
  info: (...values: unknown[]) => log.add('info', format(...values)),
  warn: (...values: unknown[]) => log.add('warn', format(...values)),
  error: (...values: unknown[]) => log.add('error', format(...values)),
})

const notAFunction = (name: string) => ({
  kind: 'failed' as const,
  retryable: false,
  error: {
    code: 'effect_not_found',
    name: 'EffectError',
    message: `the effects of this version export no function "${name}"`,
  },
})
