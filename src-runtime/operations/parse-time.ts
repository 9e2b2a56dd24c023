import { TIME_PATTERN } from '../shared/patterns.ts'

const TIME = new RegExp(TIME_PATTERN)

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
  return Number.isNaN(at) ? undefined : at
}
