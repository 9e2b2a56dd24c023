// How a chart's axis and legend say when. Pure; `at` is in seconds, as uPlot has it.

import { absoluteTime, type TimeDisplay } from '../../parts/format.ts'

const parts = (at: number, display: TimeDisplay): { readonly day: string; readonly time: string } => {
  const text = absoluteTime(at * 1_000, display)
  return { day: text.slice(5, 10), time: text.slice(11, 19) }
}

/** `18:03`; with the seconds where there are any. */
export const clockTime = (at: number, display: TimeDisplay): string => parts(at, display).time.replace(/:00$/, '')

/** The day (`11-20`) where a new one begins, the time elsewhere. */
export const axisTime = (at: number, before: number | undefined, display: TimeDisplay): string => {
  const { day } = parts(at, display)
  return before !== undefined && parts(before, display).day !== day ? day : clockTime(at, display)
}
