// Days as usage counts them: UTC, numbered from 1 January 1970.

const DAY_MS = 86_400_000

export type Day = number

export const dayOf = (at: number): Day => Math.floor(at / DAY_MS)

/** `2026-11-22` */
export const dayText = (day: Day): string => new Date(day * DAY_MS).toISOString().slice(0, 10)

export const startOf = (day: Day): number => day * DAY_MS

/** The first day of the month, `offset` months later. */
export const monthOf = (day: Day, offset = 0): Day => {
  const date = new Date(day * DAY_MS)
  return dayOf(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + offset, 1))
}
