// Converts times between input fields (in the user's zone or UTC) and the API. Pure.

import { absoluteTime, type TimeDisplay } from '../../../parts/format.ts'

/** `2026-11-20T18:03:07` */
export const toTimeField = (time: string, display: TimeDisplay): string =>
  absoluteTime(Date.parse(time), display).slice(0, 19).replace(' ', 'T')

/**
 * undefined for an empty field. `first` is the time that the field showed at first, and means until something else is typed:
 * a field has no milliseconds, and shows the same for both hours when the clocks are set back.
 */
export const fromTimeField = (field: string, display: TimeDisplay, first?: string): string | undefined => {
  if (field === '') return undefined
  if (first !== undefined && field === toTimeField(first, display)) return first
  const at = Date.parse(display === 'utc' ? `${field}Z` : field)
  return Number.isNaN(at) ? undefined : new Date(at).toISOString()
}
