// Converts the retry and timeout options of a call, or of `defineEffect`, for the engine.

import { isWithin, RETRY_LIMITS } from '../../src-runtime/shared/retry-limits.ts'
import type { EffectOptions } from '../../src-runtime/engine/turn.ts'
import type { Duration, EffectOptions as GivenOptions } from '../define-effect.ts'
import { durationOf } from './duration-of.ts'

/** Code without types may pass anything. */
export const optionsOr = <Options extends object>(
  given: Options | null | undefined,
  what: string,
): Partial<Options> => {
  if (given === undefined || given === null) return {}
  if (typeof given !== 'object') throw new TypeError(`The options of ${what} must be an object`)
  return given
}

export const effectOptions = (given: GivenOptions | undefined): EffectOptions => {
  const { retry, timeout } = optionsOr(given, 'ctx.effect')
  const timeoutMs = timeout === undefined ? undefined : durationOf(timeout, 'The timeout of an effect')
  if (timeoutMs === 0) throw new TypeError('The timeout of an effect must be longer than 0')
  return {
    ...(retry === undefined || retry === null ? {} : { retry: retryPolicy(retry) }),
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
  }
}

const retryPolicy = (given: NonNullable<GivenOptions['retry']>): NonNullable<EffectOptions['retry']> => {
  const { maxAttempts, initialInterval, backoffCoefficient, maxInterval } = optionsOr(given, 'retry')
  const { maxAttempts: attempts, backoffCoefficient: coefficient } = RETRY_LIMITS
  if (maxAttempts !== undefined && !(Number.isInteger(maxAttempts) && isWithin(attempts, maxAttempts))) {
    throw new TypeError('retry.maxAttempts must be an integer from 1 to 1,000,000')
  }
  if (backoffCoefficient !== undefined && !isWithin(coefficient, backoffCoefficient)) {
    throw new TypeError('retry.backoffCoefficient must be a number from 1 to 100')
  }
  return {
    ...(maxAttempts === undefined ? {} : { maxAttempts }),
    ...(initialInterval === undefined || initialInterval === null
      ? {}
      : { initialIntervalMs: intervalOf(initialInterval, 'retry.initialInterval') }),
    ...(backoffCoefficient === undefined ? {} : { backoffCoefficient }),
    ...(maxInterval === undefined || maxInterval === null
      ? {}
      : { maxIntervalMs: intervalOf(maxInterval, 'retry.maxInterval') }),
  }
}

const intervalOf = (duration: Duration, what: string): number => {
  const ms = durationOf(duration, what)
  if (!isWithin(RETRY_LIMITS.intervalMs, ms)) throw new TypeError(`${what} must be at most 365 days`)
  return ms
}
