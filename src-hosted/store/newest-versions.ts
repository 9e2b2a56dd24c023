// The versions that starts asked for, so that a start need not read which one is the newest. Another process may deploy a
// newer one: the store refuses such a start, and whoever starts reads again.

import type { VersionRecord } from '../../src-runtime/ports/programs.ts'

export type NewestVersions = {
  of(workspaceId: string): NewestOfWorkspace
}

export type NewestOfWorkspace = {
  get(projectId: string, programId: string): VersionRecord | undefined
  keep(version: VersionRecord): void
}

const MOST_KEPT = 2_000
/** A version with a longer manifest is read at each start. */
const LONGEST_MANIFEST = 16 * 1024

export const createNewestVersions = (): NewestVersions => {
  const kept = new Map<string, VersionRecord>()
  return {
    of: (workspaceId) => {
      const nameOf = (projectId: string, programId: string) => JSON.stringify([workspaceId, projectId, programId])
      return {
        get: (projectId, programId) => kept.get(nameOf(projectId, programId)),
        keep: (version) => {
          if (version.manifest.length > LONGEST_MANIFEST) return
          if (kept.size >= MOST_KEPT) kept.clear()
          kept.set(nameOf(version.projectId, version.programId), version)
        },
      }
    },
  }
}
