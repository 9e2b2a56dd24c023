// Finds overdue work whose messages were late or lost: Executions that were started, got events or wait for timers or
// effects, and times of schedules. Several processes may sweep; one of them claims an Execution.

import { within } from '../../src-runtime/shared/within.ts'
import type { Dispatcher } from '../dispatch/dispatcher.ts'
import type { EngineStore } from '../store/store.ts'
import type { NextFiring, ScheduleStore } from '../store/tenancy.ts'

/** A message may be this late before the sweeper sends another one. */
export const SWEEP_GRACE_MS = 5_000
const MOST_AT_ONCE = 200
const SENT_WITHIN_MS = 5_000
/** The message about the time of a schedule may be lost by then. */
const ASK_AGAIN_MS = 10_000
/**
 * While Restate seems to be away, one at a time: what it does not take may all belong to a part of it, and only another
 * message finds out. Its message is lost if this process ends before Restate is back. The next sweep must not be an hour later then.
 */
const TRY = { limit: 1, sentWithinMs: 1_000 }
const ALL = { limit: MOST_AT_ONCE, sentWithinMs: SENT_WITHIN_MS }

/** Answers whether there may be more. Rejects when a message could not be sent; it is claimed again later. */
export const sweepExecutions = async (
  store: Pick<EngineStore, 'overdue'>,
  dispatcher: Dispatcher,
): Promise<boolean> => {
  const { isAway } = dispatcher
  const { limit, sentWithinMs } = isAway ? TRY : ALL
  const { ids, isMore } = await store.overdue({ graceMs: SWEEP_GRACE_MS, limit, isTry: isAway })
  await all(
    ids.map((id) => dispatcher.poke(id, 'sweep')),
    sentWithinMs,
  )
  return isMore && !isAway
}

/**
 * Times of schedules are not claimed: one that is asked for twice fires once. But each message takes a turn of its schedule, so more of them
 * would keep a schedule that is late from catching up. It is asked for again only after it has fired nothing for a while.
 */
export const createScheduleSweep = (
  { schedules }: { readonly schedules: Pick<ScheduleStore, 'overdue'> },
  dispatcher: Dispatcher,
  monotonic: () => number,
): (() => Promise<boolean>) => {
  /** By Trigger: the time that it waits for, and when that was asked for, or first seen after another one had fired. */
  const waiting = new Map<string, { readonly at: number; readonly since: number }>()
  const isOld = (since: number): boolean => monotonic() - since >= ASK_AGAIN_MS

  const mustAsk = ({ triggerId, at }: NextFiring): boolean => {
    const before = waiting.get(triggerId)
    if (before?.at === at && !isOld(before.since)) return false
    waiting.set(triggerId, { at, since: monotonic() })
    return before === undefined || before.at === at
  }

  const ask = async ({ triggerId, at }: NextFiring): Promise<void> => {
    try {
      await dispatcher.fireAt(triggerId, at, 0)
    } catch (error) {
      waiting.delete(triggerId)
      throw error
    }
  }

  return async () => {
    const { limit, sentWithinMs } = dispatcher.isAway ? TRY : ALL
    const overdue = await schedules.overdue({ graceMs: SWEEP_GRACE_MS, limit })
    const found = new Set(overdue.map(({ triggerId }) => triggerId))
    const isAll = overdue.length < limit
    for (const [id, { since }] of waiting) if (!found.has(id) && (isAll || isOld(since))) waiting.delete(id)
    await all(overdue.filter(mustAsk).map(ask), sentWithinMs)
    return false
  }
}

/** Rejects after all have settled. A message that the dispatcher keeps for long does not delay the others. */
const all = async (sent: readonly Promise<void>[], withinMs: number): Promise<void> => {
  const settled = await within(withinMs, Promise.allSettled(sent))
  const failed = settled?.find((one) => one.status === 'rejected')
  if (failed !== undefined) throw failed.reason
}
