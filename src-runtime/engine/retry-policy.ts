// Whether and when a failed effect is tried again.

import type { EffectOptions, RetryPolicy } from './turn.ts'

/** An interval that begins above `maxIntervalMs` is its own maximum, unless the policy names one. */
const DEFAULT_RETRY: RetryPolicy = {
  maxAttempts: 10,
  initialIntervalMs: 500,
  backoffCoefficient: 2,
  maxIntervalMs: 60_000,
}

const DEFAULT_EFFECT_TIMEOUT_MS = 300_000

const YEAR_MS = 365 * 24 * 3_600_000

type Limits = { readonly least: number; readonly most: number }

/** shared/retry-limits.ts refuses values outside these limits; values that were stored before it did are clamped. */
export const ENGINE_RETRY_LIMITS: Readonly<Record<'maxAttempts' | 'intervalMs' | 'backoffCoefficient', Limits>> = {
  maxAttempts: { least: 1, most: 1_000_000 },
  intervalMs: { least: 0, most: YEAR_MS },
  backoffCoefficient: { least: 1, most: 100 },
}

export const effectTimeoutMs = ({ timeoutMs }: EffectOptions): number =>
  clamp({ least: 1, most: YEAR_MS }, timeoutMs, DEFAULT_EFFECT_TIMEOUT_MS)

/** When the attempt after `attempt` may begin, in whole ms; `undefined` when there is none. */
export const nextAttemptAt = (
  options: EffectOptions,
  attempt: number,
  retryable: boolean,
  now: number,
): number | undefined => {
  const { maxAttempts, initialIntervalMs, backoffCoefficient, maxIntervalMs } = clampPolicy(options.retry)
  if (!retryable || attempt >= maxAttempts) return undefined
  // The power may be Infinity, and 0 * Infinity is NaN.
  const interval = initialIntervalMs === 0 ? 0 : initialIntervalMs * backoffCoefficient ** (attempt - 1)
  return now + Math.ceil(Math.min(interval, maxIntervalMs))
}

const clampPolicy = (policy: Partial<RetryPolicy> = {}): RetryPolicy => {
  const { maxAttempts, intervalMs, backoffCoefficient } = ENGINE_RETRY_LIMITS
  const initialIntervalMs = clamp(intervalMs, policy.initialIntervalMs, DEFAULT_RETRY.initialIntervalMs)
  const longest = Math.max(DEFAULT_RETRY.maxIntervalMs, initialIntervalMs)
  return {
    maxAttempts: clamp(maxAttempts, policy.maxAttempts, DEFAULT_RETRY.maxAttempts),
    initialIntervalMs,
    backoffCoefficient: clamp(backoffCoefficient, policy.backoffCoefficient, DEFAULT_RETRY.backoffCoefficient),
    maxIntervalMs: clamp(intervalMs, policy.maxIntervalMs, longest),
  }
}

/** JSON stores NaN and Infinity as null. */
const clamp = ({ least, most }: Limits, value: number | null | undefined, otherwise: number): number =>
  typeof value === 'number' && !Number.isNaN(value) ? Math.min(Math.max(value, least), most) : otherwise
