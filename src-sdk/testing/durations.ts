// Durations as authors write them: milliseconds, or text such as "90s", "2h", "7 days", "1h 30m". As the sandbox reads
// them.

import type { Duration } from '../define-effect.ts'

const SECOND = 1_000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

const UNITS: readonly (readonly [names: string, ms: number])[] = [
  ['ms msec msecs millisecond milliseconds', 1],
  ['s sec secs second seconds', SECOND],
  ['m min mins minute minutes', MINUTE],
  ['h hr hrs hour hours', HOUR],
  ['d day days', DAY],
  ['w week weeks', 7 * DAY],
]
const MS = new Map(UNITS.flatMap(([names, ms]) => names.split(' ').map((name) => [name, ms] as const)))

const PART = /^\s*(\d+(?:\.\d+)?|\.\d+)\s*([a-z]+)\s*/i
/** Longer than any date can express. */
export const LATEST_DATE_MS = 8.64e15

/** Whole milliseconds, rounded up. Throws a TypeError that says what is meant and what is wanted. */
export const durationMs = (value: Duration, what: string): number => {
  const ms = typeof value === 'string' ? textMs(value) : value
  if (typeof ms !== 'number' || !(ms >= 0 && ms <= LATEST_DATE_MS)) {
    throw new TypeError(
      `${what} must be a duration: milliseconds, or text such as "90s", "2h" or "7 days"; got ${typeof value === 'string' ? JSON.stringify(value) : String(value)}`,
    )
  }
  return Math.ceil(ms)
}

const textMs = (text: string): number => {
  let rest = text.slice(0, 200)
  let total = 0
  do {
    const part = PART.exec(rest)
    const unit = MS.get(part?.[2]?.toLowerCase() ?? '')
    if (part === null || unit === undefined) return NaN
    total += Number(part[1]) * unit
    rest = rest.slice(part[0].length)
  } while (rest.length > 0)
  return total
}
