// Keys of Executions are times; see migrations/003-executions.ts. So a span of time is a span of keys.

import type { ExecutionFilter } from '../../src-runtime/ports/overview.ts'
import { timesOfIdPrefix } from '../../src-runtime/shared/id-time.ts'

/** Half-open. */
export type Span = { readonly low: number; readonly high: number }

const EPOCH_MS = Date.UTC(2020)
const KEYS_PER_MS = 4_096

/** The lowest key of what was created at that time or later. */
export const firstKey = (at: number): number =>
  Math.min(Math.max(Math.ceil(at - EPOCH_MS) * KEYS_PER_MS, 0), Number.MAX_SAFE_INTEGER)

export const spanOf = (
  filter: Pick<ExecutionFilter, 'createdAfter' | 'createdBefore' | 'finishedBefore'> & { readonly beforeKey?: number },
): Span => {
  const { createdAfter, createdBefore = Infinity, finishedBefore = Infinity, beforeKey = Infinity } = filter
  return {
    low: createdAfter === undefined ? 0 : firstKey(createdAfter + 1),
    // What ended before a time was created before it.
    high: Math.min(firstKey(createdBefore), firstKey(finishedBefore), beforeKey, Number.MAX_SAFE_INTEGER),
  }
}

/** An id has the time of the process that made it, a key that of PostgreSQL. */
const CLOCKS_DIFFER_MS = 60_000

const ID = 'exe_'
const ID_DIGITS = /^[0-9a-hjkmnp-tv-z]{0,26}$/

const WHOLE_ID = /^exe_[0-9a-hjkmnp-tv-z]{26}$/

export const isWholeId = (text: string): boolean => WHOLE_ID.test(text)

/** Keys of Executions whose ids may begin so; `undefined`: no id does. */
export const keysOfIdPrefix = (prefix: string): Span | undefined => {
  if (ID.startsWith(prefix)) return { low: 0, high: Number.MAX_SAFE_INTEGER }
  if (!prefix.startsWith(ID) || !ID_DIGITS.test(prefix.slice(ID.length))) return undefined
  const times = timesOfIdPrefix(prefix)
  if (times === undefined) return undefined
  return { low: firstKey(times.after - CLOCKS_DIFFER_MS), high: firstKey(times.before + CLOCKS_DIFFER_MS) }
}

/** Whether the ids of all Executions begin so, up to those of now. */
export const beginsAllIds = (prefix: string, now: number): boolean => {
  const keys = keysOfIdPrefix(prefix)
  return keys !== undefined && keys.low === 0 && keys.high > firstKey(now + CLOCKS_DIFFER_MS)
}
