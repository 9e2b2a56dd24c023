// What a call of an effect, or `defineEffect`, says of retries and of the timeout, as the engine reads it.

import type { EffectOptions } from '../../src-runtime/engine/turn.ts'
import type { EffectOptions as GivenOptions } from '../define-effect.ts'
import { durationOf } from './duration-of.ts'

export const effectOptions = (given: GivenOptions | undefined): EffectOptions => {
  const { retry, timeout } = given ?? {}
  const timeoutMs = timeout === undefined ? undefined : durationOf(timeout, 'The timeout of an effect')
  if (timeoutMs === 0) throw new TypeError('The timeout of an effect must be longer than 0')
  return {
    ...(retry === undefined ? {} : { retry: retryPolicy(retry) }),
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
  }
}

const retryPolicy = (given: NonNullable<GivenOptions['retry']>): NonNullable<EffectOptions['retry']> => {
  const { maxAttempts, initialInterval, backoffCoefficient, maxInterval } = given
  if (maxAttempts !== undefined && !(Number.isInteger(maxAttempts) && maxAttempts >= 1)) {
    throw new TypeError('retry.maxAttempts is not a valid number')
  }
  if (backoffCoefficient !== undefined && !(Number.isFinite(backoffCoefficient) && backoffCoefficient >= 1)) {
    throw new TypeError('retry.backoffCoefficient is not a valid number')
  }
  return {
    ...(maxAttempts === undefined ? {} : { maxAttempts }),
    ...(initialInterval === undefined
      ? {}
      : { initialIntervalMs: durationOf(initialInterval, 'retry.initialInterval') }),
    ...(backoffCoefficient === undefined ? {} : { backoffCoefficient }),
    ...(maxInterval === undefined ? {} : { maxIntervalMs: durationOf(maxInterval, 'retry.maxInterval') }),
  }
}
