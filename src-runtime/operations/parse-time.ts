import { TIME_PATTERN } from '../shared/patterns.ts'

const TIME = new RegExp(TIME_PATTERN)
/** Of UTC. Times of other years are written with more digits, or a sign; an answer may hold what is an hour earlier. */
const FIRST = Date.parse('0001-01-01T00:00:00.000Z')
const LAST = Date.parse('9999-12-31T23:59:59.999Z')

/**
 * Milliseconds since the epoch of an ISO 8601 date (its beginning in UTC) or a time with its zone; undefined for
 * anything else.
 */
export const parseTime = (text: string): number | undefined => {
  const [, year, month, day] = TIME.exec(text) ?? []
  if (year === undefined) return undefined
  const date = new Date(Date.UTC(Number(year), Number(month) - 1, Number(day)))
  date.setUTCFullYear(Number(year))
  if (date.getUTCMonth() !== Number(month) - 1 || date.getUTCDate() !== Number(day)) return undefined
  const at = Date.parse(text)
  return at >= FIRST && at <= LAST ? at : undefined
}
