// Finds what nobody looked at in time, whatever became of the messages: Executions that were started, sent events or wait for
// timers or effects, and times of schedules. Several processes may sweep; each Execution is claimed by one of them.

import { within } from '../../src-runtime/shared/within.ts'
import type { Dispatcher } from '../dispatch/dispatcher.ts'
import type { EngineStore } from '../store/store.ts'
import type { ScheduleStore } from '../store/tenancy.ts'

/** Messages that come this much late need no help. */
export const SWEEP_GRACE_MS = 5_000
const MOST_AT_ONCE = 200
const SENT_WITHIN_MS = 5_000

/** Nothing is claimed while nobody can be told. Answers whether there may be more. Rejects when some could not be sent; they are claimed again later. */
export const sweepExecutions = async (
  store: Pick<EngineStore, 'overdue'>,
  dispatcher: Dispatcher,
): Promise<boolean> => {
  if (dispatcher.isAway) return false
  const ids = await store.overdue({ graceMs: SWEEP_GRACE_MS, limit: MOST_AT_ONCE })
  await all(ids.map((id) => dispatcher.poke(id, 'sweep')))
  return ids.length === MOST_AT_ONCE
}

/** Nobody claims them: a time that is asked for twice fires once. */
export const sweepSchedules = async (
  { schedules }: { readonly schedules: Pick<ScheduleStore, 'overdue'> },
  dispatcher: Dispatcher,
): Promise<boolean> => {
  if (dispatcher.isAway) return false
  const overdue = await schedules.overdue({ graceMs: SWEEP_GRACE_MS, limit: MOST_AT_ONCE })
  await all(overdue.map(({ triggerId, at }) => dispatcher.fireAt(triggerId, at, 0)))
  return false
}

/** Rejects after all have settled. A message that the dispatcher keeps longer holds up no others. */
const all = async (sent: readonly Promise<void>[]): Promise<void> => {
  const settled = await within(SENT_WITHIN_MS, Promise.allSettled(sent))
  const failed = settled?.find((one) => one.status === 'rejected')
  if (failed !== undefined) throw failed.reason
}
