// Refuses starts and deploys of a workspace that stores more than it may. What is stored is known as it was folded last, up
// to a minute ago, and asked for once in a while.

import { ApiError } from '../../src-runtime/contract/errors.ts'
import type { OperationPorts } from '../../src-runtime/ports/operation-ports.ts'
import { forgetOldest } from '../../src-runtime/shared/forget-oldest.ts'
import { formatBytes } from '../../src-runtime/shared/format-bytes.ts'
import type { UsageFolding } from '../store/tenancy.ts'
import type { LimitsOf } from './limits.ts'

export type Quota = {
  /** Rejects with `quota_exceeded`. */
  check(workspaceId: string): Promise<void>
}

const ASKED_EVERY_MS = 5_000
const MOST_KEPT = 10_000
const RETRY_AFTER_SECONDS = '60'

export const createQuota = (usage: Pick<UsageFolding, 'storedBytes'>, limits: LimitsOf, now: () => number): Quota => {
  const known = new Map<string, { readonly at: number; readonly bytes: Promise<number> }>()

  const storedBytes = (workspaceId: string): Promise<number> => {
    const kept = known.get(workspaceId)
    if (kept !== undefined && now() - kept.at < ASKED_EVERY_MS) return kept.bytes
    const bytes = usage.storedBytes(workspaceId)
    known.set(workspaceId, { at: now(), bytes })
    forgetOldest(known, MOST_KEPT)
    bytes.catch(() => known.delete(workspaceId))
    return bytes
  }

  return {
    check: async (workspaceId) => {
      const { storedBytes: most } = limits(workspaceId)
      const stored = await storedBytes(workspaceId)
      if (stored <= most) return
      throw new ApiError(
        'quota_exceeded',
        `This workspace stores ${formatBytes(stored)}, over its limit of ${formatBytes(most)}: delete Executions or versions, or ask for more.`,
        { 'retry-after': RETRY_AFTER_SECONDS },
      )
    },
  }
}

/** The same ports, on which a workspace over its quota starts and deploys nothing. */
export const withQuota = <Ports extends Pick<OperationPorts, 'store' | 'worker'>>(
  ports: Ports,
  quota: Quota,
  workspaceId: string,
): Ports => ({
  ...ports,
  worker: {
    ...ports.worker,
    startExecution: async (execution) => {
      await quota.check(workspaceId)
      return ports.worker.startExecution(execution)
    },
  },
  store: {
    ...ports.store,
    programs: {
      ...ports.store.programs,
      deploy: async (version) => {
        await quota.check(workspaceId)
        return ports.store.programs.deploy(version)
      },
    },
  },
})
