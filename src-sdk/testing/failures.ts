// Converts what a Program or a fake threw to an Execution's error.

import type { EffectFailure } from '../../src-runtime/engine/effect-attempts.ts'
import type { ErrorCause, ExecutionError } from '../../src-runtime/engine/journal.ts'
import { EffectError, NonRetryableError } from '../errors-for-authors.ts'
import { thrownText } from './log.ts'

export type AttemptFailure = { readonly error: EffectFailure; readonly retryable: boolean }

/** Those that `ctx` made. One that a Program makes itself is its own error. */
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

export const effectFailure = (thrown: unknown): AttemptFailure => {
  const code = thrown instanceof Error ? (thrown as { readonly code?: unknown }).code : undefined
  return {
    error: {
      code: typeof code === 'number' || (typeof code === 'string' && code !== '') ? String(code) : 'effect_failed',
      ...described(thrown),
    },
    retryable: !(thrown instanceof NonRetryableError),
  }
}

/** An error of the runtime rather than the fake: a timeout, or a result that cannot be stored. */
export const attemptFailure = (code: string, message: string): AttemptFailure => ({
  error: { code, name: 'EffectError', message },
  retryable: true,
})

const described = (thrown: unknown): Omit<ExecutionError, 'code'> =>
  thrown instanceof Error
    ? { ...membersOf(thrown), ...causeOf(thrown) }
    : { name: 'Error', message: thrownText(thrown) }

const membersOf = ({ name, message, stack }: Error) => ({ name, message, ...(stack === undefined ? {} : { stack }) })

/** As many as src-runtime/shared/error-cause.ts keeps, which needs Node. */
const MOST_CAUSES = 8

/** `above`: the errors that it led to, to end cycles. */
const causeOf = (thrown: unknown, above: readonly unknown[] = []): { readonly cause?: ErrorCause } => {
  const cause = (thrown as { readonly cause?: unknown } | null)?.cause
  const seen = [...above, thrown]
  if (cause === undefined || cause === null || seen.length > MOST_CAUSES || seen.includes(cause)) return {}
  const members = isErrorLike(cause) ? membersOf(cause) : { message: thrownText(cause) }
  return { cause: { ...members, ...causeOf(cause, seen) } }
}

/** An EffectError has a plain object as its cause. */
const isErrorLike = (cause: unknown): cause is Error =>
  cause instanceof Error || typeof (cause as { readonly message?: unknown }).message === 'string'
