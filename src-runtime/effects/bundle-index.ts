// What is known of versions' effects, without their code: asked for on every call, while the code goes to a host once.

import { createHash } from 'node:crypto'
import type { EffectOptions } from '../engine/turn.ts'
import type { EffectBundle, LoadEffects } from './effect-bundle.ts'

export type IndexedBundle = {
  /** Names the content: versions with the same effects share one evaluated module in a host. */
  readonly digest: string
  readonly folder: string
  readonly optionsByName: ReadonlyMap<string, EffectOptions>
  /** The code, from where it is stored. */
  readonly load: () => Pick<EffectBundle, 'code' | 'sourceMap'>
}

export type BundleIndex = (versionId: string) => IndexedBundle | undefined

const MAX_INDEXED = 1_000

export const createBundleIndex = (loadEffects: LoadEffects): BundleIndex => {
  /** Least recently used first. */
  const indexed = new Map<string, IndexedBundle>()
  return (versionId) => {
    const known = indexed.get(versionId)
    if (known !== undefined) {
      indexed.delete(versionId)
      indexed.set(versionId, known)
      return known
    }
    const bundle = loadEffects(versionId)
    if (bundle === undefined) return undefined
    const entry = index(bundle, () => {
      const stored = loadEffects(versionId)
      if (stored === undefined) throw new Error(`the effects of version ${versionId} are no longer stored`)
      return stored
    })
    indexed.set(versionId, entry)
    if (indexed.size > MAX_INDEXED) indexed.delete(indexed.keys().next().value!)
    return entry
  }
}

const index = ({ code, sourceMap, folder, effects }: EffectBundle, load: IndexedBundle['load']): IndexedBundle => ({
  digest: createHash('sha256')
    .update(code)
    .update('\0')
    .update(sourceMap ?? '')
    .digest('hex'),
  folder,
  optionsByName: new Map(effects.map(({ name, options }) => [name, options])),
  load,
})
