// Works on bulks, whichever process accepted them.

import { ApiError } from '../../src-runtime/contract/errors.ts'
import { actOnOne, type ActPorts } from '../../src-runtime/operations/act-on-one.ts'
import { isAnsweredUnavailable, isBusy, isUnavailable } from '../../src-runtime/operations/is-unavailable.ts'
import { pause } from '../../src-runtime/shared/pause.ts'
import type { BulkWork, TakenItems } from '../store/store.ts'

const ITEMS_AT_ONCE = 32
/** Of as many workspaces. */
const BULKS_AT_ONCE = 4
/** Other bulks do not wait for items on which a process works for longer. */
const LONG_MS = 1_000
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

type Deps = {
  readonly bulkWork: Omit<BulkWork, 'endLeases'>
  readonly portsOf: (workspaceId: string) => Promise<ActPorts>
  /** Is told of faults: an item that has one has failed, because it would have it again each time. */
  readonly onError: (error: unknown) => void
}

export type WorkOnBulks = (isStopped: () => boolean) => Promise<boolean>

/**
 * Functions that may be called at the same time, each by one caller again and again. Each answers whether there may be more. The first works on the
 * bulks of a process; the further ones do while those before work on the same items for long, such as inputs that are checked slowly, on bulks of
 * other workspaces. An item whose check could not begin in time is left for the next turn of its workspace, with those behind it. What cannot be
 * reached is tried again. Each rejects when it cannot be reached for long, or this process stops; then others work on these items again.
 */
export const createWorkOnBulks = (deps: Deps): readonly WorkOnBulks[] => {
  const { bulkWork } = deps
  /** Workspaces on whose items it works, and since when (`performance.now()`). */
  const busy = new Map<string, number>()
  let taking: Promise<unknown> = Promise.resolve()

  const take = async (before: number): Promise<TakenItems | undefined> => {
    const longAgo = performance.now() - LONG_MS
    if ([...busy.values()].filter((since) => since <= longAgo).length < before) return undefined
    const taken = await bulkWork.take({ limit: ITEMS_AT_ONCE, leaseMs: LEASE_MS, busy: [...busy.keys()] })
    if (taken !== undefined) busy.set(taken.workspaceId, performance.now())
    return taken
  }
  /** One after the other, so that each knows of which workspaces the others have taken items. */
  const takeInTurn = (before: number): Promise<TakenItems | undefined> => {
    const next = taking.then(() => take(before))
    taking = next.catch(() => {})
    return next
  }

  return Array.from({ length: BULKS_AT_ONCE }, (_, before) => async (isStopped: () => boolean) => {
    const taken = await takeInTurn(before)
    if (taken === undefined) return false
    const stopLease = keepLease(() => bulkWork.extend(taken, LEASE_MS))
    try {
      await workOn(taken, deps, isStopped, stopLease)
    } finally {
      busy.delete(taken.workspaceId)
      await stopLease()
    }
    return true
  })
}

const workOn = async (
  taken: TakenItems,
  { bulkWork, portsOf, onError }: Deps,
  isStopped: () => boolean,
  stopLease: () => Promise<void>,
): Promise<void> => {
  const { workspaceId, bulkId, action, projectId, firstNumber, executionIds } = taken
  const triedUntil = performance.now() + TRY_FOR_MS
  const untilReached = async <Result>(attempt: () => Promise<Result>): Promise<Result> => {
    for (;;) {
      try {
        return await attempt()
      } catch (error) {
        if (!cannotBeReached(error) || performance.now() > triedUntil || isStopped()) throw error
        await pause(TRY_AGAIN_MS)
      }
    }
  }
  if (action === 'delete') {
    return untilReached(() => bulkWork.delete(taken, onError))
  }
  const ports = await untilReached(() => portsOf(workspaceId))

  /** `undefined`: too much was under way for it. */
  const act = async (id: string, index: number): Promise<boolean | undefined> => {
    try {
      // An item that is worked on again must not start another Execution.
      await actOnOne(ports, action, { id, projectId }, `${bulkId}:${firstNumber + index}`)
      return true
    } catch (error) {
      if (isBusy(error)) return undefined
      if (cannotBeReached(error)) throw error
      if (!(error instanceof ApiError)) onError(error)
      return false
    }
  }

  const results = await Promise.all(
    executionIds.map(async (id, index) => (id === undefined ? false : untilReached(() => act(id, index)))),
  )
  const left = results.indexOf(undefined)
  // Those that are left are free at once.
  if (left >= 0) await stopLease()
  const settled = left < 0 ? results : results.slice(0, left)
  const done = settled.filter((isDone) => isDone).length
  await untilReached(() => bulkWork.settle(taken, { done, failed: settled.length - done }))
}

const cannotBeReached = (error: unknown): boolean => isUnavailable(error) || isAnsweredUnavailable(error)
