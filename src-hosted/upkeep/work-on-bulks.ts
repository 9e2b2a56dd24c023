// Works on bulks, whichever process accepted them.

import { ApiError } from '../../src-runtime/contract/errors.ts'
import { actOnOne, type ActPorts } from '../../src-runtime/operations/act-on-one.ts'
import { isUnavailable } from '../../src-runtime/operations/is-unavailable.ts'
import type { BulkWork } from '../store/store.ts'

const ITEMS_AT_ONCE = 32
const LEASE_MS = 30_000

/**
 * Answers whether there may be more. Rejects when items cannot be worked on now; they are worked on again later. `onError` is
 * told of faults: an item that has one has failed, because it would have it again each time.
 */
export const workOnBulks = async (
  bulkWork: BulkWork,
  portsOf: (workspaceId: string) => Promise<ActPorts>,
  onError: (error: unknown) => void,
): Promise<boolean> => {
  const taken = await bulkWork.take({ limit: ITEMS_AT_ONCE, leaseMs: LEASE_MS })
  if (taken === undefined) return false
  const { workspaceId, bulkId, action, projectId, firstNumber, executionIds } = taken
  const ports = await portsOf(workspaceId)

  const act = async (id: string | undefined, index: number): Promise<boolean> => {
    if (id === undefined) return false
    try {
      // An item that is worked on again must not start another Execution.
      await actOnOne(ports, action, { id, projectId }, `${bulkId}:${firstNumber + index}`)
      return true
    } catch (error) {
      if (isUnavailable(error) || (error instanceof ApiError && error.code === 'unavailable')) throw error
      if (!(error instanceof ApiError)) onError(error)
      return false
    }
  }

  const results = await Promise.all(executionIds.map(act))
  const done = results.filter((isDone) => isDone).length
  await bulkWork.settle(taken, { done, failed: results.length - done })
  return true
}
