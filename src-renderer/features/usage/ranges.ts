// The days that the Usage screen covers. Days are UTC, written as `2026-11-20`. Pure.

import { DAY_MS } from '../../parts/format.ts'

export const RANGES = {
  month: 'This month',
  'last-month': 'Last month',
  '30d': 'Last 30 days',
  '90d': 'Last 90 days',
} as const

export type RangeName = keyof typeof RANGES
export const RANGE_NAMES = Object.keys(RANGES) as [RangeName, ...RangeName[]]

export type Days = {
  readonly from: string
  /** Included. */
  readonly to: string
}

/** A range by name, or days of the user's own. */
export type RangeView = { readonly range?: RangeName | undefined } & {
  readonly [Member in keyof Days]?: string | undefined
}

/** The service answers at most so many days at once. */
const MOST_DAYS = 366

const textOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10)
const addDays = (day: string, days: number): string => textOf(Date.parse(day) + days * DAY_MS)

/** `offset` months later. */
const firstOfMonth = (day: string, offset = 0): string => {
  const date = new Date(day)
  return textOf(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + offset, 1))
}

/** Whether it is a day that exists. */
export const isDay = (text: string): boolean => {
  if (!/^\d{4}-\d\d-\d\d$/.test(text)) return false
  const ms = Date.parse(text)
  return !Number.isNaN(ms) && textOf(ms) === text
}

/** Why the service would not answer these days; undefined when it would. */
export const daysFault = ({ from, to }: Days): string | undefined => {
  if (!isDay(from) || !isDay(to)) return 'Choose both days'
  if (from > to) return 'The first day must not be after the last one'
  if (Date.parse(to) - Date.parse(from) >= MOST_DAYS * DAY_MS) return `Choose at most ${MOST_DAYS} days`
  return undefined
}

/** Custom days that cannot be shown count as not given. */
export const ownDays = ({ from, to }: RangeView): Days | undefined =>
  from !== undefined && to !== undefined && daysFault({ from, to }) === undefined ? { from, to } : undefined

export const daysOf = (view: RangeView, today: string): Days => {
  const own = view.range === undefined ? ownDays(view) : undefined
  if (own !== undefined) return own
  switch (view.range) {
    case 'last-month':
      return { from: firstOfMonth(today, -1), to: addDays(firstOfMonth(today), -1) }
    case '30d':
      return { from: addDays(today, -29), to: today }
    case '90d':
      return { from: addDays(today, -89), to: today }
    case 'month':
    case undefined:
      return { from: firstOfMonth(today), to: today }
  }
}

/** Each day that has begun. */
export const eachDay = ({ from, to }: Days, today: string): readonly string[] => {
  const days: string[] = []
  for (let day = from; day <= to && day <= today; day = addDays(day, 1)) days.push(day)
  return days
}
