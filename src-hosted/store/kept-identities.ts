// Which Executions this process has started or read lately, so that an event need not look up its own.

import type { ExecutionIdentity } from '../../src-runtime/ports/executions.ts'
import { forgetOldest } from '../../src-runtime/shared/forget-oldest.ts'

export type IdentitiesOfWorkspace = {
  get(executionId: string): ExecutionIdentity | undefined
  keep(execution: ExecutionIdentity): void
}

/** About 500 bytes each. */
const MOST_KEPT = 4_000

export const createKeptIdentities = (): ((workspaceId: string) => IdentitiesOfWorkspace) => {
  const kept = new Map<string, ExecutionIdentity>()
  return (workspaceId) => {
    const nameOf = (executionId: string): string => `${workspaceId} ${executionId}`
    return {
      get: (executionId) => kept.get(nameOf(executionId)),
      keep: ({ id, key, projectId, programId, versionId, versionNumber }) => {
        const name = nameOf(id)
        if (kept.has(name)) return
        kept.set(name, { id, key, projectId, programId, versionId, versionNumber })
        forgetOldest(kept, MOST_KEPT)
      },
    }
  }
}
