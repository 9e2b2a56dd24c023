// Works on bulks, whichever process accepted them.

import { ApiError } from '../../src-runtime/contract/errors.ts'
import { actOnOne, type ActPorts } from '../../src-runtime/operations/act-on-one.ts'
import { isAnsweredUnavailable, isBusy, isUnavailable } from '../../src-runtime/operations/is-unavailable.ts'
import { pause } from '../../src-runtime/shared/pause.ts'
import type { BulkWork, TakenItems } from '../store/store.ts'

const ITEMS_AT_ONCE = 32
/** How long the items of a process that died wait. */
const LEASE_MS = 15_000
const EXTEND_EVERY_MS = 3_000
/** Less than the lease, for which nobody else works on the same items: the last try takes time, too. */
const TRY_FOR_MS = 12_000
const TRY_AGAIN_MS = 250

/** Call the returned function to stop; it waits for an extension that is under way. */
const keepLease = (extend: () => Promise<void>): (() => Promise<void>) => {
  let extending: Promise<void> | undefined
  const extendOnce = async (): Promise<void> => {
    await extend().catch(() => {}) // what works on the items finds out, too
    extending = undefined
  }
  const timer = setInterval(() => void (extending ??= extendOnce()), EXTEND_EVERY_MS)
  return async () => {
    clearInterval(timer)
    await extending
  }
}

/**
 * Answers whether there may be more. What cannot be reached is tried again. Rejects when it cannot be reached for long, or this process
 * stops; then others work on these items again. `onError` is told of faults: an item that has one has failed, because it would have it
 * again each time.
 */
export const workOnBulks = async (
  bulkWork: BulkWork,
  portsOf: (workspaceId: string) => Promise<ActPorts>,
  onError: (error: unknown) => void,
  isStopped: () => boolean,
): Promise<boolean> => {
  const taken = await bulkWork.take({ limit: ITEMS_AT_ONCE, leaseMs: LEASE_MS })
  if (taken === undefined) return false
  const stopLease = keepLease(() => bulkWork.extend(taken, LEASE_MS))
  try {
    await workOn(taken, bulkWork, portsOf, onError, isStopped)
  } finally {
    await stopLease()
  }
  return true
}

const workOn = async (
  taken: TakenItems,
  ...[bulkWork, portsOf, onError, isStopped]: Parameters<typeof workOnBulks>
): Promise<void> => {
  const { workspaceId, bulkId, action, projectId, firstNumber, executionIds } = taken
  const triedUntil = performance.now() + TRY_FOR_MS
  const untilReached = async <Result>(attempt: () => Promise<Result>): Promise<Result> => {
    for (;;) {
      try {
        return await attempt()
      } catch (error) {
        const mayPass = isBusy(error) || (cannotBeReached(error) && performance.now() <= triedUntil)
        if (!mayPass || isStopped()) throw error
        await pause(TRY_AGAIN_MS)
      }
    }
  }
  if (action === 'delete') {
    return untilReached(() => bulkWork.delete(taken, onError))
  }
  const ports = await untilReached(() => portsOf(workspaceId))

  const act = async (id: string, index: number): Promise<boolean> => {
    try {
      // An item that is worked on again must not start another Execution.
      await actOnOne(ports, action, { id, projectId }, `${bulkId}:${firstNumber + index}`)
      return true
    } catch (error) {
      if (isBusy(error) || cannotBeReached(error)) throw error
      if (!(error instanceof ApiError)) onError(error)
      return false
    }
  }

  const results = await Promise.all(
    executionIds.map(async (id, index) => (id === undefined ? false : untilReached(() => act(id, index)))),
  )
  const done = results.filter((isDone) => isDone).length
  await untilReached(() => bulkWork.settle(taken, { done, failed: results.length - done }))
}

const cannotBeReached = (error: unknown): boolean => isUnavailable(error) || isAnsweredUnavailable(error)
