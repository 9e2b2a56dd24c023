// Versions that starts and events asked for, so that they need not read them. A version never changes, but another process
// may deploy a newer one: the store refuses a start of one that is not the newest any more, and whoever starts reads again.

import type { VersionRecord } from '../../src-runtime/ports/programs.ts'
import { forgetOldest } from '../../src-runtime/shared/forget-oldest.ts'

export type VersionsOfWorkspace = {
  get(name: VersionName): VersionRecord | undefined
  keep(name: VersionName, version: VersionRecord): void
}

type VersionName = readonly ['newest', projectId: string, programId: string] | readonly ['id', versionId: string]

const MOST_KEPT = 2_000
/** A version with a longer manifest is read each time. */
const LONGEST_MANIFEST = 16 * 1024

export const createKeptVersions = (): ((workspaceId: string) => VersionsOfWorkspace) => {
  const kept = new Map<string, VersionRecord>()
  return (workspaceId) => ({
    get: (name) => kept.get(JSON.stringify([workspaceId, ...name])),
    keep: (name, version) => {
      const key = JSON.stringify([workspaceId, ...name])
      // An older version that stayed would be tried first by every start.
      kept.delete(key)
      if (version.manifest.length > LONGEST_MANIFEST) return
      kept.set(key, version)
      forgetOldest(kept, MOST_KEPT)
    },
  })
}
