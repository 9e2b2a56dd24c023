// Finds the next times of schedules again once PostgreSQL's clock was set back: what was found before may be as far away as that.
// Anybody may call this, as often as they like: a time that has fired starts no other Execution.

import type { ScheduleStore } from '../store/tenancy.ts'
import { nextAfter } from './cron.ts'

/** Each takes a fraction of a millisecond. */
const AT_ONCE = 50

export const findNextTimesAgain = async (
  schedules: Pick<ScheduleStore, 'endLongClaims' | 'foundLater' | 'bringForward'>,
  isStopped: () => boolean,
): Promise<void> => {
  await schedules.endLongClaims()
  for (let after = ''; !isStopped();) {
    const { now, items } = await schedules.foundLater(after, AT_ONCE)
    for (const { id, nextFireAt, ...cadence } of items) {
      const next = nextAfter(cadence, now)
      if (next !== undefined && next < nextFireAt) await schedules.bringForward(id, nextFireAt, next)
    }
    const last = items.at(-1)
    if (last === undefined) return
    after = last.id
  }
}
