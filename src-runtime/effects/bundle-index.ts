// Information about versions' effects, without their code. Every call needs it, while a host needs the code only once.

import { createHash } from 'node:crypto'
import type { EffectOptions } from '../engine/turn.ts'
import { forgetOldest } from '../shared/forget-oldest.ts'
import type { EffectBundle, LoadEffects } from './effect-bundle.ts'

export type IndexedBundle = {
  /** Identifies the content: versions with equal effects share one evaluated module in a host. */
  readonly digest: string
  readonly folder: string
  readonly optionsByName: ReadonlyMap<string, EffectOptions>
  /** The code, from where it is stored. */
  readonly load: () => Pick<EffectBundle, 'code' | 'sourceMap'>
}

export type BundleIndex = (versionId: string) => IndexedBundle | undefined

const MAX_INDEXED = 1_000
/** A version never changes, but its folder does when the project is opened from another location. */
const READ_AGAIN_AFTER_MS = 2_000

export const createBundleIndex = (loadEffects: LoadEffects, now: () => number): BundleIndex => {
  /** Least recently read first. */
  const indexed = new Map<string, { readonly readAt: number; readonly bundle: IndexedBundle | undefined }>()

  const read = (versionId: string): IndexedBundle | undefined => {
    const bundle = loadEffects(versionId)
    return bundle && indexBundle(bundle, () => stored(versionId))
  }

  const stored = (versionId: string): EffectBundle => {
    const bundle = loadEffects(versionId)
    if (bundle === undefined) throw new Error(`the effects of version ${versionId} are no longer stored`)
    return bundle
  }

  return (versionId) => {
    const known = indexed.get(versionId)
    if (known !== undefined && now() - known.readAt < READ_AGAIN_AFTER_MS) return known.bundle
    const bundle = read(versionId)
    indexed.delete(versionId)
    indexed.set(versionId, { readAt: now(), bundle })
    forgetOldest(indexed, MAX_INDEXED)
    return bundle
  }
}

export const indexBundle = (
  { code, sourceMap, folder, effects }: EffectBundle,
  load: IndexedBundle['load'],
): IndexedBundle => ({
  digest: createHash('sha256')
    .update(code)
    .update('\0')
    .update(sourceMap ?? '')
    .digest('hex'),
  folder,
  optionsByName: new Map(effects.map(({ name, options }) => [name, options])),
  load,
})
