// Parses the durations that authors write: milliseconds, or text such as "90s", "2h", "7 days", "1h 30m".

import {
  BaseTypeError,
  beginningOf,
  isFiniteNumber,
  lowerCase,
  regexpExec,
  slice,
  stringify,
  toNumber,
} from './primordials.js'

const SECOND = 1000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

const UNITS = { __proto__: null, ms: 1, s: SECOND, m: MINUTE, h: HOUR, d: DAY, w: 7 * DAY }
for (const name of ['millisecond', 'msec']) UNITS[name] = UNITS[`${name}s`] = 1
for (const name of ['second', 'sec']) UNITS[name] = UNITS[`${name}s`] = SECOND
for (const name of ['minute', 'min']) UNITS[name] = UNITS[`${name}s`] = MINUTE
for (const name of ['hour', 'hr']) UNITS[name] = UNITS[`${name}s`] = HOUR
UNITS.day = UNITS.days = DAY
UNITS.week = UNITS.weeks = 7 * DAY

/** Longer than any date can express. Sums with the clock are checked again. */
const LONGEST_MS = 8.64e15

const PART = /^\s*(\d+(?:\.\d+)?|\.\d+)\s*([a-z]+)\s*/i

const EXAMPLES = 'milliseconds, or text such as "90s", "2h" or "7 days"'

const shown = (value) => {
  const isPrinted = typeof value === 'number' || value === null
  const text = typeof value === 'string' ? stringify(value) : isPrinted ? `${value}` : typeof value
  return text.length > 80 ? `${beginningOf(text, 80)}…` : text
}

const milliseconds = (text) => {
  let rest = text
  let total = 0
  do {
    const part = regexpExec(PART, rest)
    const unit = part === null ? undefined : UNITS[lowerCase(part[2])]
    if (unit === undefined) return NaN
    total += toNumber(part[1]) * unit
    rest = slice(rest, part[0].length)
  } while (rest.length > 0)
  return total
}

/** Whole milliseconds, rounded up. Throws a TypeError that names `what` and the expected format. */
export const parseDuration = (value, what) => {
  const ms =
    typeof value === 'number' ? value : typeof value === 'string' && value.length < 200 ? milliseconds(value) : NaN
  if (!isFiniteNumber(ms) || ms < 0 || ms > LONGEST_MS) {
    throw new BaseTypeError(`${what} must be a duration: ${EXAMPLES}; got ${shown(value)}`)
  }
  const whole = ms - (ms % 1)
  return whole === ms ? ms : whole + 1
}
