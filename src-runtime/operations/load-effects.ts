// The effects of a version from source, as the effect host needs them.

import type { EffectBundle } from '../effects/effect-bundle.ts'
import { manifestOptions } from './manifest-options.ts'
import type { Store } from '../store/store.ts'

/** `undefined`: the version has no effects, or was uploaded, and its effects do not run here. */
export const loadEffects = (store: Pick<Store, 'programs'>, versionId: string): EffectBundle | undefined => {
  const artifact = store.programs.artifact(versionId)
  const folder = artifact?.version.source?.folder
  if (artifact?.effects === undefined || folder === undefined) return undefined
  // Both were checked when the version was stored.
  const { code, sourceMap } = JSON.parse(artifact.effects) as { code: string; sourceMap?: string }
  return {
    code,
    ...(sourceMap !== undefined && { sourceMap }),
    folder,
    effects: [...manifestOptions(artifact.version.manifest)].map(([name, options]) => ({ name, options })),
  }
}
