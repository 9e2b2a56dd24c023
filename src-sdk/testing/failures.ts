// Converts what a Program or a fake threw to an Execution's error.

import type { EffectFailure } from '../../src-runtime/engine/effect-attempts.ts'
import type { ExecutionError } from '../../src-runtime/engine/journal.ts'
import { EffectError, NonRetryableError } from '../errors-for-authors.ts'
import { thrownText } from './log.ts'

export type AttemptFailure = { readonly error: EffectFailure; readonly retryable: boolean }

export const programFailure = (thrown: unknown): ExecutionError => ({
  code: thrown instanceof EffectError ? 'effect_failed' : 'program_error',
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

const described = (thrown: unknown): { name: string; message: string; stack?: string } =>
  thrown instanceof Error
    ? { name: thrown.name, message: thrown.message, ...(thrown.stack === undefined ? {} : { stack: thrown.stack }) }
    : { name: 'Error', message: thrownText(thrown) }
