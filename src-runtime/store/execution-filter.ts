// The list's filters as parameters that every statement of the list shares.

import { ALL_STATUSES, statusCodes } from './codes.ts'
import type { ExecutionQuery } from './store.ts'
import type { KeyRange, Timeline } from './timeline.ts'

export type FilterParameters = {
  readonly project: string
  readonly program: string | null
  readonly number: number | null
  /** A bit for each status. */
  readonly statuses: number
  readonly createdAfter: number
  readonly createdBefore: number
  readonly idFrom: string
  readonly idBelow: string
  /** In lower case; null: any message or none. */
  readonly errorText: string | null
}

/** Sorts behind every id. */
const AFTER_ALL_IDS = '\u{10FFFF}'

export const filterOf = (query: ExecutionQuery): FilterParameters => ({
  project: query.projectId,
  program: query.programId ?? null,
  number: query.versionNumber ?? null,
  statuses: (query.statuses ?? ALL_STATUSES).reduce((bits, status) => bits | (1 << statusCodes.toCode(status)), 0),
  createdAfter: query.createdAfter ?? Number.NEGATIVE_INFINITY,
  createdBefore: query.createdBefore ?? Number.POSITIVE_INFINITY,
  idFrom: '',
  idBelow: AFTER_ALL_IDS,
  errorText: null,
})

export const withIdPrefix = (filter: FilterParameters, prefix: string): FilterParameters => ({
  ...filter,
  idFrom: prefix,
  idBelow: prefix + AFTER_ALL_IDS,
})

const FAILED = 1 << statusCodes.toCode('failed')

/** Only a failed Execution has an error. */
export const withErrorText = (filter: FilterParameters, text: string): FilterParameters => ({
  ...filter,
  statuses: filter.statuses & FAILED,
  errorText: text.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase()),
})

/** Of an Execution `e` and its version `v`. */
export const MATCHES_VERSION = `
  v.project = (SELECT j.key FROM projects j WHERE j.id = @project)
  AND (@program IS NULL OR v.program = (SELECT p.key FROM programs p WHERE p.project = v.project AND p.id = @program))
  AND (@number IS NULL OR v.number = @number)`

export const MATCHES_ROW = `
  e.created_at > @createdAfter AND e.created_at < @createdBefore
  AND e.id >= @idFrom AND e.id < @idBelow
  AND (@errorText IS NULL OR instr(lower(e.error_message), @errorText) > 0)`

export const MATCHES_STATUS = '((@statuses >> e.status) & 1) = 1'

/** Where to look at all. */
export const rangeOf = (query: ExecutionQuery, timeline: Timeline, lastKey: number): KeyRange => {
  const whole = { low: 0, high: Math.min(query.beforeKey ?? Number.MAX_SAFE_INTEGER, lastKey + 1) }
  if (query.createdAfter === undefined && query.createdBefore === undefined) return whole
  const after = query.createdAfter ?? Number.NEGATIVE_INFINITY
  const before = query.createdBefore ?? Number.POSITIVE_INFINITY
  return overlap(whole, timeline.createdWithin({ after, before }))
}

export const overlap = (one: KeyRange, other: KeyRange): KeyRange => ({
  low: Math.max(one.low, other.low),
  high: Math.min(one.high, other.high),
})
