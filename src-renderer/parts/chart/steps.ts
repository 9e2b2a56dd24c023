// Round distances between the ticks of a vertical axis.

import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '../format.ts'

/** Whole numbers, as counts and milliseconds are: 1, 2, 5, 10, 20, 50 … */
export const WHOLE_STEPS: readonly number[] = Array.from({ length: 13 }, (_, power) =>
  [1, 2, 5].map((digit) => digit * 10 ** power),
).flat()

/** Durations in ms that are shown in days, hours, minutes and seconds. */
export const DURATION_STEPS: readonly number[] = [
  ...[1, 2, 5, 10, 20, 50, 100, 200, 500],
  ...[1, 2, 5, 10, 20, 30].map((seconds) => seconds * SECOND_MS),
  ...[1, 2, 5, 10, 20, 30].map((minutes) => minutes * MINUTE_MS),
  ...[1, 2, 4, 6, 12].map((hours) => hours * HOUR_MS),
  ...[1, 2, 5, 10, 20, 50, 100, 200, 500].map((days) => days * DAY_MS),
]
