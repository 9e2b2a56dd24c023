// The effects of a version from source, as the effect host needs them.

import { durationMs } from '../shared/durations.ts'
import type { EffectBundle } from '../effects/effect-bundle.ts'
import type { EffectOptions, RetryPolicy } from '../engine/turn.ts'
import type { Store } from '../store/store.ts'

type ManifestEffect = {
  readonly name: string
  readonly retry?: Readonly<Record<string, unknown>>
  readonly timeoutMs?: number
}

/** `undefined`: the version has no effects, or was uploaded, and its effects do not run here. */
export const loadEffects = (store: Pick<Store, 'programs'>, versionId: string): EffectBundle | undefined => {
  const artifact = store.programs.artifact(versionId)
  const folder = artifact?.version.source?.folder
  if (artifact?.effects === undefined || folder === undefined) return undefined
  // Both were checked when the version was stored.
  const { code, sourceMap } = JSON.parse(artifact.effects) as { code: string; sourceMap?: string }
  const { effects = [] } = JSON.parse(artifact.version.manifest) as { effects?: readonly ManifestEffect[] }
  return {
    code,
    ...(sourceMap !== undefined && { sourceMap }),
    folder,
    effects: effects.map((effect) => ({ name: effect.name, options: optionsOf(effect) })),
  }
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
