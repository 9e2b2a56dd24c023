// What a Program or a fake threw, as an Execution keeps it.

import type { ExecutionError } from '../contract-types.ts'
import { EffectError, NonRetryableError } from '../errors-for-authors.ts'
import type { Failure } from './state.ts'

export const programFailure = (thrown: unknown): ExecutionError => {
  const code = thrown instanceof EffectError ? 'effect_failed' : 'program_error'
  return { code, ...described(thrown) }
}

export const effectFailure = (thrown: unknown): { readonly failure: Failure; readonly retryable: boolean } => {
  const code = thrown instanceof Error ? (thrown as { readonly code?: unknown }).code : undefined
  return {
    failure: {
      code: typeof code === 'number' || (typeof code === 'string' && code !== '') ? String(code) : 'effect_failed',
      ...described(thrown),
    },
    retryable: !(thrown instanceof NonRetryableError),
  }
}

export const effectTimeout = (name: string, timeoutMs: number): Failure => ({
  code: 'effect_timeout',
  name: 'EffectError',
  message: `effect "${name}" timed out after ${Number((timeoutMs / 1_000).toPrecision(3))} s`,
})

const described = (thrown: unknown): { name: string; message: string; stack?: string } =>
  thrown instanceof Error
    ? { name: thrown.name, message: thrown.message, ...(thrown.stack === undefined ? {} : { stack: thrown.stack }) }
    : { name: 'Error', message: textOf(thrown) }

const textOf = (value: unknown): string => {
  if (typeof value === 'string') return value
  try {
    return JSON.stringify(value) ?? String(value)
  } catch {
    return String(value)
  }
}
