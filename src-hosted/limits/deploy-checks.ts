// Bounds how many deploys of a workspace are checked, or wait for that, in this process.

import { ApiError } from '../../src-runtime/contract/errors.ts'

const MOST_OF_WORKSPACE = 100
const RETRY_AFTER_SECONDS = '1'

/** Calls `check`, or rejects with `rate_limited`. */
export type DeployChecks = <Result>(workspaceId: string, check: () => Promise<Result>) => Promise<Result>

export const createDeployChecks = (): DeployChecks => {
  /** By workspace; those that have none are left out. */
  const underWay = new Map<string, number>()
  const countOf = (workspaceId: string): number => underWay.get(workspaceId) ?? 0

  return async (workspaceId, check) => {
    if (countOf(workspaceId) >= MOST_OF_WORKSPACE) {
      throw new ApiError('rate_limited', `${MOST_OF_WORKSPACE} deploys of this workspace are being checked already.`, {
        'retry-after': RETRY_AFTER_SECONDS,
      })
    }
    underWay.set(workspaceId, countOf(workspaceId) + 1)
    try {
      return await check()
    } finally {
      const left = countOf(workspaceId) - 1
      if (left > 0) underWay.set(workspaceId, left)
      else underWay.delete(workspaceId)
    }
  }
}
