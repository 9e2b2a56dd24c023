// Bounds how many deploys of a workspace are checked, or wait for that, in this process.

import type { Logger } from 'pino'
import { ApiError } from '../../src-runtime/contract/errors.ts'
import { createFairPlaces } from '../../src-runtime/shared/fair-places.ts'

const MOST_OF_WORKSPACE = 100
const RETRY_AFTER_SECONDS = '1'

/** Calls `check`, or rejects with `rate_limited`, or with `unavailable` where the check itself fails, as it does once the process stops. */
export type DeployChecks = <Result>(workspaceId: string, check: () => Promise<Result>) => Promise<Result>

/** `stopped` aborts before the parts that check are stopped. */
export const createDeployChecks = (log: Logger, stopped: AbortSignal): DeployChecks => {
  const places = createFairPlaces(Infinity, () => MOST_OF_WORKSPACE)

  return async (workspaceId, check) => {
    if (places.takenBy(workspaceId) >= MOST_OF_WORKSPACE) {
      throw new ApiError('rate_limited', `${MOST_OF_WORKSPACE} deploys of this workspace are being checked already.`, {
        'retry-after': RETRY_AFTER_SECONDS,
      })
    }
    const giveBack = places.occupy(workspaceId, 1)
    try {
      return await check()
    } catch (error) {
      // Such as no process to do it in: nothing is known of what was deployed.
      if (stopped.aborted) log.info({ workspaceId }, 'a deploy was not checked: this process stops')
      else log.error({ err: error, workspaceId }, 'a deploy could not be checked')
      throw new ApiError('unavailable', 'What was deployed cannot be checked right now: try again.', {
        'retry-after': RETRY_AFTER_SECONDS,
      })
    } finally {
      giveBack()
    }
  }
}
