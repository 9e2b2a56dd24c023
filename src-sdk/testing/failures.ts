// Converts what a Program or a fake threw to an Execution's error.

import type { EffectFailure } from '../../src-runtime/engine/effect-attempts.ts'
import type { ErrorCause, ExecutionError } from '../../src-runtime/engine/journal.ts'
import { EffectError, NonRetryableError } from '../errors-for-authors.ts'
import { thrownText } from './log.ts'

export type AttemptFailure = { readonly error: EffectFailure; readonly retryable: boolean }

/** EffectErrors that `ctx` threw. One that a Program creates counts as its own error. */
const effectErrors = new WeakSet<object>()

export const newEffectError = (message: string, options: { readonly code: string; readonly cause?: object }) => {
  const error = new EffectError(message, options)
  effectErrors.add(error)
  return error
}

export const programFailure = (thrown: unknown): ExecutionError => ({
  code: effectErrors.has(thrown as object) ? 'effect_failed' : 'program_error',
  ...described(thrown),
})

export const effectFailure = (thrown: unknown): AttemptFailure => ({
  error: { code: codeOf(thrown) ?? 'effect_failed', ...described(thrown, true) },
  retryable: !(thrown instanceof NonRetryableError),
})

/** An error of the runtime rather than the fake. Only another attempt after a timeout may end otherwise. */
export const attemptFailure = (
  code: 'effect_timeout' | 'invalid_result' | 'result_too_large',
  message: string,
): AttemptFailure => ({
  error: { code, name: code === 'effect_timeout' ? 'TimeoutError' : 'EffectError', message },
  retryable: code === 'effect_timeout',
})

/** The codes of a DOMException say nothing. */
const codeOf = (thrown: unknown): string | undefined => {
  if (!(thrown instanceof Error) || Object.prototype.toString.call(thrown) === '[object DOMException]') return undefined
  const { code } = thrown as { readonly code?: unknown }
  return typeof code === 'number' || (typeof code === 'string' && code !== '') ? String(code) : undefined
}

/** `ofEffect`: an error without a message has those of its inner errors, as when a connection is refused at each address. */
const described = (thrown: unknown, ofEffect = false): Omit<ExecutionError, 'code'> =>
  thrown instanceof Error
    ? { ...membersOf(thrown, ofEffect), ...causeOf(thrown, ofEffect) }
    : { name: 'Error', message: thrownText(thrown) }

const membersOf = (error: Error, ofEffect: boolean) => ({
  name: error.name,
  message: ofEffect ? messageOf(error) : error.message,
  ...(error.stack === undefined ? {} : { stack: error.stack }),
})

/** `above`: the errors that contain it. One may contain itself. */
const messageOf = (error: Error, above: readonly Error[] = []): string => {
  if (error.message !== '') return error.message
  if (above.length >= MOST_LEVELS || above.includes(error)) return ''
  const inner = innerErrors(error).map((one) =>
    isErrorLike(one) ? messageOf(one, [...above, error]) : thrownText(one),
  )
  return inner.filter((text) => text !== '').join('; ')
}

const innerErrors = (error: unknown): readonly unknown[] => {
  const errors = (error as { readonly errors?: unknown } | null)?.errors
  return Array.isArray(errors) ? errors.slice(0, MOST_INNER_ERRORS) : []
}

/** As in src-runtime/effects/host/describe-error.ts, which needs Node. */
const MOST_INNER_ERRORS = 10
const MOST_LEVELS = 3

/** As many as src-runtime/shared/error-cause.ts keeps, which needs Node. */
const MOST_CAUSES = 8

/** `above`: the errors that it led to, to end cycles. */
const causeOf = (
  thrown: unknown,
  ofEffect: boolean,
  above: readonly unknown[] = [],
): { readonly cause?: ErrorCause } => {
  const own = (thrown as { readonly cause?: unknown } | null)?.cause
  const cause = own ?? (ofEffect ? innerErrors(thrown)[0] : undefined)
  const seen = [...above, thrown]
  if (cause === undefined || cause === null || seen.length > MOST_CAUSES || seen.includes(cause)) return {}
  const members = isErrorLike(cause) ? membersOf(cause, ofEffect) : { message: thrownText(cause) }
  return { cause: { ...members, ...causeOf(cause, ofEffect, seen) } }
}

/** An EffectError has a plain object as its cause. */
const isErrorLike = (cause: unknown): cause is Error =>
  cause instanceof Error || typeof (cause as { readonly message?: unknown } | null)?.message === 'string'
