// The versions that run here. Program hosts ask for code at once, and the database answers later: a version is read before
// its Execution's turn, and stays while that may need it.

import { DamagedExecution } from '../../src-runtime/engine/damaged-execution.ts'
import type { JsonText } from '../../src-runtime/engine/journal.ts'
import type { EffectOptions } from '../../src-runtime/engine/turn.ts'
import type { LoadProgram } from '../../src-runtime/sandbox/program-hosts.ts'
import type { EngineStore } from '../store/store.ts'

export type VersionCache = {
  /** Calls `act` while the version is here. Throws DamagedExecution when it is not stored. */
  with<Result>(versionId: string, act: (version: CachedVersion) => Promise<Result>): Promise<Result>
  /** Of a version that is here now. */
  readonly loadProgram: LoadProgram
}

export type CachedVersion = {
  /** The effect's options in the manifest. */
  defaultsOf(effect: string): EffectOptions
}

/** Versions that are not in use are kept up to this many characters of code. */
const MOST_LENGTH = 128 * 1024 * 1024

type Entry = {
  readonly code: string
  readonly sourceMap?: string
  readonly length: number
  readonly version: CachedVersion
  users: number
}

export const createVersionCache = (
  store: Pick<EngineStore, 'artifact'>,
  manifestOptions: (manifest: JsonText) => ReadonlyMap<string, EffectOptions>,
): VersionCache => {
  /** Least recently used first. */
  const entries = new Map<string, Entry>()
  const reading = new Map<string, Promise<Entry>>()
  let length = 0

  const read = async (versionId: string): Promise<Entry> => {
    const artifact = await store.artifact(versionId)
    if (artifact === undefined) throw new DamagedExecution(`version ${versionId} is not stored`)
    const { code, sourceMap } = artifact
    const options = manifestOptions(artifact.version.manifest)
    const entry: Entry = {
      code,
      ...(sourceMap !== undefined && { sourceMap }),
      length: code.length + (sourceMap?.length ?? 0),
      version: { defaultsOf: (effect) => options.get(effect) ?? {} },
      users: 0,
    }
    return keep(versionId, entry)
  }

  const keep = (versionId: string, entry: Entry): Entry => {
    if (entries.has(versionId)) return entry
    entries.set(versionId, entry)
    length += entry.length
    return entry
  }

  const find = (versionId: string): Entry | Promise<Entry> => {
    const known = entries.get(versionId)
    if (known !== undefined) return known
    const under = reading.get(versionId)
    if (under !== undefined) return under
    const begun = read(versionId).finally(() => reading.delete(versionId))
    reading.set(versionId, begun)
    return begun
  }

  const forgetOld = (): void => {
    for (const [versionId, entry] of entries) {
      if (length <= MOST_LENGTH) return
      if (entry.users > 0) continue
      entries.delete(versionId)
      length -= entry.length
    }
  }

  return {
    with: async (versionId, act) => {
      const found = find(versionId)
      const entry = found instanceof Promise ? await found : found
      entry.users += 1
      keep(versionId, entry) // another one may have ended, and removed it, while it was waited for
      try {
        return await act(entry.version)
      } finally {
        entry.users -= 1
        if (entries.delete(versionId)) entries.set(versionId, entry)
        forgetOld()
      }
    },
    loadProgram: (versionId) => {
      const entry = entries.get(versionId)
      if (entry === undefined) throw new Error(`version ${versionId} is not in use here`)
      const { code, sourceMap } = entry
      return sourceMap === undefined ? { code } : { code, sourceMap }
    },
  }
}
