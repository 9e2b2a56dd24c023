// Finds the next times of schedules again once PostgreSQL's clock was set back: what was found before may be as far away as that.
// Anybody may call this, as often as they like: a time that has fired starts no other Execution.

import type { ScheduleStore } from '../store/tenancy.ts'
import { nextAfter, type Cadence } from './cron.ts'

/** Each takes a fraction of a millisecond. */
const AT_ONCE = 50

export const findNextTimesAgain = async (
  schedules: Pick<ScheduleStore, 'endLongClaims' | 'foundLater' | 'bringForward'>,
  isStopped: () => boolean,
  /** Its time zone, say, is not known here. It stays as it is, and keeps no other from being looked at. */
  onFault: (triggerId: string, error: unknown) => void,
): Promise<void> => {
  const nextOf = (id: string, cadence: Cadence, now: number): number | undefined => {
    try {
      return nextAfter(cadence, now)
    } catch (error) {
      onFault(id, error)
      return undefined
    }
  }
  await schedules.endLongClaims()
  for (let after = ''; !isStopped();) {
    const { now, items } = await schedules.foundLater(after, AT_ONCE)
    for (const { id, nextFireAt, ...cadence } of items) {
      const next = nextOf(id, cadence, now)
      if (next !== undefined && next < nextFireAt) await schedules.bringForward(id, nextFireAt, next)
    }
    const last = items.at(-1)
    if (last === undefined) return
    after = last.id
  }
}
