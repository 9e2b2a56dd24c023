// Filter times relative to now: `-15m`, `-1h`, `-7d`. The API does not know them.

import type { ExecutionFilter } from '#sdk/index.ts'

const UNIT_MS = { m: 60_000, h: 3_600_000, d: 86_400_000 } as const
type Unit = keyof typeof UNIT_MS

const RELATIVE = /^-([1-9]\d{0,4})([mhd])$/

/** Milliseconds before now; undefined when the text is not a relative time. */
export const relativeMs = (text: string): number | undefined => {
  const [, count, unit] = RELATIVE.exec(text) ?? []
  return count === undefined ? undefined : Number(count) * UNIT_MS[unit as Unit]
}

const absolute = (time: string | Date | undefined, now: number): string | Date | undefined => {
  if (typeof time !== 'string') return time
  const ago = relativeMs(time)
  return ago === undefined ? time : new Date(now - ago).toISOString()
}

const TIMES = ['createdAfter', 'createdBefore', 'finishedAfter', 'finishedBefore'] as const

/** The filter as the API takes it. */
export const absoluteTimes = (filter: ExecutionFilter, now: number): ExecutionFilter => ({
  ...filter,
  ...Object.fromEntries(
    TIMES.filter((name) => filter[name] !== undefined).map((name) => [name, absolute(filter[name], now)]),
  ),
})
