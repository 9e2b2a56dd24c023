import { durationMs } from '../../src-runtime/shared/durations.ts'
import type { Duration } from '../define-effect.ts'

/** The latest that a `Date` holds. */
export const LATEST_DATE_MS = 8.64e15

/** Returns whole milliseconds. Throws a TypeError that names the argument and the expected form. */
export const durationOf = (value: Duration, what: string): number => {
  const ms = durationMs(value)
  if (ms !== undefined && ms <= LATEST_DATE_MS) return ms
  throw new TypeError(
    `${what} must be a duration: milliseconds, or text such as "90s", "2h" or "7 days"; got ${shown(value)}`,
  )
}

/** Code without types may pass anything. */
const shown = (value: unknown): string => {
  const isPrinted = typeof value === 'number' || value === null
  const text = typeof value === 'string' ? JSON.stringify(value) : isPrinted ? `${value}` : typeof value
  return text.length > LONGEST_SHOWN ? `${text.slice(0, LONGEST_SHOWN)}…` : text
}

const LONGEST_SHOWN = 80
