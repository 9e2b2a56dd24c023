// The effects of versions, read once and kept while their code is within a bound.

import { indexBundle, type IndexedBundle } from '../../src-runtime/effects/bundle-index.ts'
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

type Entry = { readonly read: Promise<KnownVersion | undefined>; bytes: number }

export const createVersionCache = (load: LoadVersion, folder: string, codeBytes: number): VersionCache => {
  /** Least recently used first. */
  const versions = new Map<string, Entry>()
  let bytes = 0

  const forget = (versionId: string): void => {
    bytes -= versions.get(versionId)?.bytes ?? 0
    versions.delete(versionId)
  }

  const begin = (versionId: string): Promise<KnownVersion | undefined> => {
    const read = load(versionId).then((loaded) => {
      const known = loaded && knownVersion(loaded, folder)
      if (versions.get(versionId) !== entry || loaded === undefined) return known
      entry.bytes = loaded.code.length + (loaded.sourceMap?.length ?? 0)
      bytes += entry.bytes
      for (const oldest of versions.keys()) {
        if (bytes <= codeBytes || oldest === versionId) break
        forget(oldest)
      }
      return known
    })
    const entry: Entry = { read, bytes: 0 }
    versions.set(versionId, entry)
    read.catch(() => versions.get(versionId) === entry && forget(versionId))
    return read
  }

  return {
    has: (versionId) => (versions.get(versionId)?.bytes ?? 0) > 0,
    read: (versionId) => {
      const known = versions.get(versionId)
      if (known === undefined) return begin(versionId)
      versions.delete(versionId)
      versions.set(versionId, known)
      return known.read
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
