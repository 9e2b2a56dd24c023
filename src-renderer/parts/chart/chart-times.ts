// Formats the times of a chart's axis and legend. Pure; `at` is in seconds, as in uPlot.

import { absoluteTime, type TimeDisplay } from '../format.ts'

const parts = (at: number, display: TimeDisplay): { readonly day: string; readonly time: string } => {
  const text = absoluteTime(at * 1_000, display)
  return { day: text.slice(5, 10), time: text.slice(11, 19) }
}

/** `18:03`; with seconds unless they are zero. */
export const clockTime = (at: number, display: TimeDisplay): string => parts(at, display).time.replace(/:00$/, '')

/** The date (`11-20`) at the start of a day, the time elsewhere. */
export const axisTime = (at: number, before: number | undefined, display: TimeDisplay): string => {
  const { day } = parts(at, display)
  return before !== undefined && parts(before, display).day !== day ? day : clockTime(at, display)
}
