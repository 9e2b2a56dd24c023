// What a version's manifest says of its effects. It was checked when the version was stored.

import type { JsonText } from '../engine/journal.ts'
import type { EffectOptions, RetryPolicy } from '../engine/turn.ts'
import { durationMs } from '../shared/durations.ts'

type ManifestEffect = {
  readonly name: string
  readonly retry?: Readonly<Record<string, unknown>>
  readonly timeoutMs?: number
}

/** The options of each effect, by name. */
export const manifestOptions = (manifest: JsonText): ReadonlyMap<string, EffectOptions> => {
  const { effects = [] } = JSON.parse(manifest) as { effects?: readonly ManifestEffect[] }
  return new Map(effects.map((effect) => [effect.name, optionsOf(effect)]))
}

const optionsOf = ({ retry, timeoutMs }: ManifestEffect): EffectOptions => ({
  ...(timeoutMs !== undefined && { timeoutMs }),
  ...(retry !== undefined && { retry: policyOf(retry) }),
})

const policyOf = (retry: Readonly<Record<string, unknown>>): Partial<RetryPolicy> => {
  const initialIntervalMs = durationMs(retry.initialInterval)
  const maxIntervalMs = durationMs(retry.maxInterval)
  return {
    ...(typeof retry.maxAttempts === 'number' && { maxAttempts: retry.maxAttempts }),
    ...(typeof retry.backoffCoefficient === 'number' && { backoffCoefficient: retry.backoffCoefficient }),
    ...(initialIntervalMs !== undefined && { initialIntervalMs }),
    ...(maxIntervalMs !== undefined && { maxIntervalMs }),
  }
}
