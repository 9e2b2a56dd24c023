// Whether each time of a schedule started one Execution, and in time.

import type { Firing } from './database.ts'

/** A time that is this late starts nothing. */
const TOO_LATE_MS = 3_600_000

/** From the first time to the latest that was fired: which were missed, fired twice, or over an hour late. */
export const scheduleFaults = (first: number, everyMs: number, firings: readonly Firing[]): readonly string[] => {
  const faults: string[] = []
  const byTime = new Map<number, Firing>()
  for (const firing of firings) {
    const what = `the schedule's time ${new Date(firing.at).toISOString()}`
    if (byTime.has(firing.at)) faults.push(`${what} was fired twice`)
    if (firing.at < first || (firing.at - first) % everyMs !== 0) faults.push(`${what} is none of its times`)
    if (firing.startedAt < firing.at) faults.push(`${what} was fired too early`)
    if (firing.startedAt - firing.at > TOO_LATE_MS) faults.push(`${what} was fired over an hour late`)
    byTime.set(firing.at, firing)
  }
  if (byTime.size === 0) return ['the schedule never fired']
  const last = Math.max(...byTime.keys())
  for (let at = first; at < last; at += everyMs) {
    if (!byTime.has(at)) faults.push(`the schedule's time ${new Date(at).toISOString()} was missed`)
  }
  return faults
}
