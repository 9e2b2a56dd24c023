// What needs attention: Executions that failed, that wait while an effect backs off, and that have waited for the same
// event for long. The first and the second are few, or in an index; the third can only be among those that were created
// so long ago.

import type Database from 'better-sqlite3'
import { FAILED, WAITING, overlap, withStatuses, type FilterParameters } from './execution-filter.ts'
import { createListByPending } from './execution-indexes.ts'
import { newestOf, type ListKeys } from './list-keys.ts'
import type { Span } from './slices.ts'
import type { Timeline } from './timeline.ts'

/** Divides a range: in the old part anything that waits may need attention, in the young one only retries. */
export const divideByAge = (filter: FilterParameters, range: Span, timeline: Timeline) => {
  const { high } = timeline.createdWithin({ after: -Infinity, before: (filter.staleSince ?? Infinity) + 1 })
  return {
    old: overlap(range, { low: 0, high }),
    young: overlap(range, { low: high, high: range.high }),
  }
}

export const createListAttention = (db: Database.Database, timeline: Timeline, newest: ListKeys): ListKeys => {
  const retries = createListByPending(db, 'retries')
  return async (filter, range, count, slices) => {
    const waiting = withStatuses(filter, WAITING)
    const { old, young } = divideByAge(filter, range, timeline)
    const failed = await newest(withStatuses(filter, FAILED), range, count, slices)
    const retried = waiting.statuses === 0 ? [] : await retries(waiting, young, count, slices)
    return newestOf([failed, retried, await newest(waiting, old, count, slices)], count)
  }
}
