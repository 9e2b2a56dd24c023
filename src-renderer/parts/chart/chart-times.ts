// Formats the times of a chart's axis and legend. Pure; `at` is in seconds, as in uPlot.

import { absoluteTime, type TimeDisplay } from '../format.ts'

const parts = (at: number, display: TimeDisplay): { readonly day: string; readonly time: string } => {
  const text = absoluteTime(at * 1_000, display)
  return { day: text.slice(5, 10), time: text.slice(11, 19) }
}

/** `18:03`; with seconds unless they are zero. */
export const clockTime = (at: number, display: TimeDisplay): string => parts(at, display).time.replace(/:00$/, '')

/** `11-20 18:03`: a chart may show many days. */
export const pointTime = (at: number, display: TimeDisplay): string =>
  `${parts(at, display).day} ${clockTime(at, display)}`

/** The date (`11-20`) at the start of a day, which may be later than midnight; the time elsewhere. */
export const axisTime = (at: number, before: number | undefined, display: TimeDisplay): string => {
  const { day, time } = parts(at, display)
  const beginsDay = before === undefined ? time === '00:00:00' : parts(before, display).day !== day
  return beginsDay ? day : clockTime(at, display)
}

export const DAY_SECONDS = 86_400

/** The span of the bars of these days. uPlot itself takes a single time for the first of some years. */
export const rangeOfDays = (times: ArrayLike<number>): [number, number] => {
  const [first = 0, last = first] = [times[0], times[times.length - 1]]
  return [first - DAY_SECONDS / 2, last + DAY_SECONDS / 2]
}
