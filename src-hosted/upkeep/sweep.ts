// Finds overdue work whose messages were late or lost: Executions that were started, got events or wait for timers or
// effects. Several processes may sweep; one of them claims an Execution.

import { within } from '../../src-runtime/shared/within.ts'
import type { HoldingDispatcher } from '../dispatch/hold-while-away.ts'
import type { EngineStore } from '../store/store.ts'

/** A message may be this late before the sweeper sends another one. */
export const SWEEP_GRACE_MS = 5_000
const MOST_AT_ONCE = 200
const SENT_WITHIN_MS = 5_000
/**
 * While Restate seems to be away, one at a time: what it does not take may all belong to a part of it, and only another
 * message finds out. Its message is lost if this process ends before Restate is back. The next sweep must not be an hour later then.
 */
const TRY = { limit: 1, sentWithinMs: 1_000 }
const ALL = { limit: MOST_AT_ONCE, sentWithinMs: SENT_WITHIN_MS }

/** Answers whether there may be more. Rejects when a message could not be sent; it is claimed again later. */
export const sweepExecutions = async (
  store: Pick<EngineStore, 'overdue'>,
  dispatcher: Pick<HoldingDispatcher, 'sweep' | 'isAway'>,
): Promise<boolean> => {
  const { isAway } = dispatcher
  const { limit, sentWithinMs } = isAway ? TRY : ALL
  const { ids, isMore } = await store.overdue({ graceMs: SWEEP_GRACE_MS, limit, isTry: isAway })
  await all(
    ids.map((id) => dispatcher.sweep(id)),
    sentWithinMs,
  )
  return isMore && !isAway
}

/** Rejects after all have settled. A message that the dispatcher keeps for long does not delay the others. */
const all = async (sent: readonly Promise<void>[], withinMs: number): Promise<void> => {
  const settled = await within(withinMs, Promise.allSettled(sent))
  const failed = settled?.find((one) => one.status === 'rejected')
  if (failed !== undefined) throw failed.reason
}
