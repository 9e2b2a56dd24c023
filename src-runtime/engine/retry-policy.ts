// Whether and when a failed effect is tried again.

import type { EffectOptions, RetryPolicy } from './turn.ts'

export const DEFAULT_RETRY: RetryPolicy = {
  maxAttempts: 10,
  initialIntervalMs: 500,
  backoffCoefficient: 2,
  maxIntervalMs: 60_000,
}

export const DEFAULT_EFFECT_TIMEOUT_MS = 300_000

export const effectTimeoutMs = (options: EffectOptions): number => options.timeoutMs ?? DEFAULT_EFFECT_TIMEOUT_MS

/** When the attempt after `attempt` may begin; `undefined` when there is none. */
export const nextAttemptAt = (
  options: EffectOptions,
  attempt: number,
  retryable: boolean,
  now: number,
): number | undefined => {
  const policy = { ...DEFAULT_RETRY, ...options.retry }
  if (!retryable || attempt >= policy.maxAttempts) return undefined
  const interval = policy.initialIntervalMs * policy.backoffCoefficient ** (attempt - 1)
  return now + Math.min(interval, policy.maxIntervalMs)
}
