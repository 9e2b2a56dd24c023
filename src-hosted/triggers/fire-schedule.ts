// A schedule's time has come: starts its Execution, and finds the next time. Anybody may call this, as often as they like:
// a time starts one Execution.

import { ApiError } from '../../src-runtime/contract/errors.ts'
import type { Fired, OwnedTrigger, ScheduleStore, ScheduleTrigger } from '../store/tenancy.ts'
import { isTooLate, nextToFire } from './cron.ts'
import { ownInput } from './fire-trigger.ts'
import { startFromTrigger, type StartPorts } from './start-from-trigger.ts'

export type FireScheduleDeps = {
  readonly schedules: Pick<ScheduleStore, 'findSchedule' | 'advance'>
  /** What starts Executions in a workspace. */
  readonly portsOf: (owner: Pick<OwnedTrigger, 'workspaceId' | 'defaultProjectId'>) => StartPorts
}

/**
 * `at` is the time that has come. Settles with the time for which to call again; undefined when nobody needs to, since the
 * Trigger is gone, not enabled, has no time to come, or waits for another time, for which somebody else calls. Rejects when
 * it is not known what happened: call again.
 */
export const fireSchedule = async (
  { schedules, portsOf }: FireScheduleDeps,
  triggerId: string,
  at: number,
): Promise<number | undefined> => {
  const found = await schedules.findSchedule(triggerId)
  if (found?.trigger.nextFireAt === undefined) return undefined
  const { trigger, now } = found
  // It was fired by another call, or it has other times since: whoever wrote those calls for them, or else the sweeper.
  if (trigger.nextFireAt !== at) return undefined
  if (at > now) return at
  const fired = isTooLate(at, now) ? leftOut(at) : await start(portsOf(found), trigger, at)
  const next = nextToFire(trigger, at, now)
  await schedules.advance(triggerId, at, next, fired)
  return next
}

/** Otherwise nobody would see that a daily time has started nothing. */
const leftOut = (at: number): Fired => ({
  error: `The time ${new Date(at).toISOString()} was missed by more than an hour, so it started nothing.`,
})

const start = async (ports: StartPorts, trigger: ScheduleTrigger, at: number): Promise<Fired> => {
  try {
    const { executionId } = await startFromTrigger(ports, trigger, {
      ...ownInput(trigger),
      once: new Date(at).toISOString(),
    })
    return { executionId }
  } catch (error) {
    // The service is not at fault: the Program cannot run, or does not take the input. The next time may differ.
    if (error instanceof ApiError && error.status < 500) return { error: error.message }
    throw error
  }
}
