// How often a failed effect is tried again, and how long an attempt may take: what the call says, then what
// `defineEffect` says, then the defaults.

import type { JsonValue } from '../contract-types.ts'
import type { EffectOptions } from '../define-effect.ts'
import { optionsOf } from './as-effects.ts'
import { durationMs } from './durations.ts'
import type { EffectPolicy } from './state.ts'

export type EffectCallee = { readonly name: string; readonly reference?: object }

const DEFAULTS: EffectPolicy = {
  maxAttempts: 10,
  initialIntervalMs: 500,
  backoffCoefficient: 2,
  maxIntervalMs: 60_000,
  timeoutMs: 300_000,
}

export const policyOf = ({ reference }: EffectCallee, call: EffectOptions | undefined): EffectPolicy => {
  const defined: EffectOptions | undefined = reference === undefined ? undefined : optionsOf(reference)
  return { ...DEFAULTS, ...given(defined), ...given(call) }
}

const given = (options: EffectOptions | undefined): Partial<EffectPolicy> => {
  const { maxAttempts, initialInterval, backoffCoefficient, maxInterval } = options?.retry ?? {}
  const timeout = options?.timeout
  if (maxAttempts !== undefined && !(Number.isInteger(maxAttempts) && maxAttempts >= 1)) {
    throw new TypeError('retry.maxAttempts is not a valid number')
  }
  if (backoffCoefficient !== undefined && !(Number.isFinite(backoffCoefficient) && backoffCoefficient >= 1)) {
    throw new TypeError('retry.backoffCoefficient is not a valid number')
  }
  const timeoutMs = timeout === undefined ? undefined : durationMs(timeout, 'The timeout of an effect')
  if (timeoutMs === 0) throw new TypeError('The timeout of an effect must be longer than 0')
  return {
    ...(maxAttempts === undefined ? {} : { maxAttempts }),
    ...(initialInterval === undefined
      ? {}
      : { initialIntervalMs: durationMs(initialInterval, 'retry.initialInterval') }),
    ...(backoffCoefficient === undefined ? {} : { backoffCoefficient }),
    ...(maxInterval === undefined ? {} : { maxIntervalMs: durationMs(maxInterval, 'retry.maxInterval') }),
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
  }
}

/** What the history says that the call asked for. */
export const policyText = (call: EffectOptions | undefined): Readonly<Record<string, JsonValue | undefined>> => {
  if (call === undefined) return {}
  const { timeoutMs, ...retry } = given(call)
  return { retry: call.retry === undefined ? undefined : retry, timeoutMs }
}

/** How long after its `attempt` failed the next one begins; undefined: there is none. */
export const pauseAfter = (policy: EffectPolicy, attempt: number, retryable: boolean): number | undefined =>
  !retryable || attempt >= policy.maxAttempts
    ? undefined
    : Math.min(policy.initialIntervalMs * policy.backoffCoefficient ** (attempt - 1), policy.maxIntervalMs)
