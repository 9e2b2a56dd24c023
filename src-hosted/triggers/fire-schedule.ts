// A schedule's time has come: starts its Execution, and finds the next time. Anybody may call this, as often as they like:
// a time starts one Execution.

import { ApiError } from '../../src-runtime/contract/errors.ts'
import { isBusy } from '../../src-runtime/operations/is-unavailable.ts'
import { TriggerChangedError } from '../../src-runtime/operations/start-execution.ts'
import type { FireDue, Fired, OwnedTrigger, ScheduleStore, ScheduleTrigger } from '../store/tenancy.ts'
import { isTooLate, nextToFire } from './cron.ts'
import { ownInput } from './fire-trigger.ts'
import { startFromTrigger, type StartPorts } from './start-from-trigger.ts'

export type FireScheduleDeps = {
  readonly schedules: Pick<ScheduleStore, 'findSchedule' | 'advance'>
  /** What starts Executions in a workspace. */
  readonly portsOf: (owner: Pick<OwnedTrigger, 'workspaceId' | 'defaultProjectId'>) => StartPorts
}

/** Of a schedule that is behind, for each claim. */
const MOST_MADE_UP = 8

/** `now`: PostgreSQL's clock, in ms since the epoch. */
export const createFire =
  (deps: FireScheduleDeps, now: () => number): FireDue =>
  async ({ triggerId, dueAt }) => {
    let next = await fireSchedule(deps, triggerId, dueAt)
    for (let fired = 1; fired < MOST_MADE_UP && next !== undefined && next <= now(); fired += 1) {
      next = await fireSchedule(deps, triggerId, next)
    }
  }

/**
 * `at` is the time that has come. Settles with the next one; undefined when the Trigger is gone, not enabled, has no time to come, or waits
 * for another time than `at`. Rejects when it is not known what happened: call again.
 */
export const fireSchedule = async (
  deps: FireScheduleDeps,
  triggerId: string,
  at: number,
): Promise<number | undefined> => {
  const { schedules, portsOf } = deps
  const found = await schedules.findSchedule(triggerId)
  if (found?.trigger.nextFireAt === undefined) return undefined
  const { trigger, now } = found
  // It was fired by another call, or it has other times since, which are claimed when they come.
  if (trigger.nextFireAt !== at) return undefined
  if (at > now) return at
  const fired = isTooLate(at, now) ? leftOut(at) : await start(portsOf(found), trigger, at)
  const next = nextToFire(trigger, at, now)
  const isNoted = fired !== undefined && (await schedules.advance(trigger, { at, now }, next, fired))
  // Unless it was removed, it may still be due: with another input, another Program, or by a clock that was set back.
  return isNoted ? next : fireSchedule(deps, triggerId, at)
}

/** Otherwise nobody would see that a daily time has started nothing. */
const leftOut = (at: number): Fired => ({
  error: `The time ${new Date(at).toISOString()} was missed by more than an hour, so it started nothing.`,
})

/** `undefined`: the Trigger was changed or removed since it was read. */
const start = async (ports: StartPorts, trigger: ScheduleTrigger, at: number): Promise<Fired | undefined> => {
  try {
    const { executionId } = await startFromTrigger(ports, trigger, {
      ...ownInput(trigger),
      once: new Date(at).toISOString(),
      triggerUpdatedAt: trigger.updatedAt,
    })
    return { executionId }
  } catch (error) {
    if (error instanceof TriggerChangedError) return undefined
    // The service is not at fault: the Program cannot run, or does not take the input. The next time may differ.
    if (error instanceof ApiError && error.status < 500 && !isBusy(error)) return { error: error.message }
    throw error
  }
}
