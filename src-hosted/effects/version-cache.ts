// The effects of versions, read once and kept while their code is within a bound.

import { indexBundle, type IndexedBundle } from '../../src-runtime/effects/bundle-index.ts'
import { createSizedMap } from '../../src-runtime/shared/sized-map.ts'
import type { LoadVersion, VersionEffects } from './effect-runner.ts'

export type KnownVersion = {
  readonly workspaceId: string
  readonly projectId: string
  readonly name: string
  readonly bundle: IndexedBundle
  /** Whether the manifest names all of its effects. */
  readonly isListed: boolean
}

export type VersionCache = {
  /** Whether the version was read, and its code is still here. */
  has(versionId: string): boolean
  /** Rejects when the version cannot be read. `undefined`: it has no effects. */
  read(versionId: string): Promise<KnownVersion | undefined>
}

type Kept = { readonly known: KnownVersion; readonly bytes: number }

export const createVersionCache = (load: LoadVersion, folder: string, codeBytes: number): VersionCache => {
  /** Least recently used first. */
  const versions = createSizedMap<string, Kept>(codeBytes, ({ bytes }) => bytes)
  const reading = new Map<string, Promise<KnownVersion | undefined>>()

  const readNow = async (versionId: string): Promise<KnownVersion | undefined> => {
    const loaded = await load(versionId)
    if (loaded === undefined) return undefined
    const known = knownVersion(loaded, folder)
    versions.set(versionId, { known, bytes: loaded.code.length + (loaded.sourceMap?.length ?? 0) })
    return known
  }

  const begin = (versionId: string): Promise<KnownVersion | undefined> => {
    const begun = readNow(versionId).finally(() => reading.delete(versionId))
    reading.set(versionId, begun)
    return begun
  }

  return {
    has: (versionId) => versions.get(versionId) !== undefined,
    read: async (versionId) => {
      const kept = versions.get(versionId)
      if (kept === undefined) return reading.get(versionId) ?? begin(versionId)
      versions.set(versionId, kept)
      return kept.known
    },
  }
}

const knownVersion = (loaded: VersionEffects, folder: string): KnownVersion => {
  const { workspaceId, projectId, name, code, sourceMap, effects } = loaded
  const content = { code, ...(sourceMap !== undefined && { sourceMap }) }
  return {
    workspaceId,
    projectId,
    name,
    bundle: indexBundle({ ...content, folder, effects: effects ?? [] }, () => content),
    isListed: effects !== undefined,
  }
}
