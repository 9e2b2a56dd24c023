// The list's filters as parameters, shared by all statements of the list.

import type { Status } from '../engine/journal.ts'
import { inLowerCase, possibleStatuses, STALE_AFTER_MS } from '../shared/list-filters.ts'
import { openKindCodes, statusCodes } from '../shared/row-codes.ts'
import type { ExecutionFilter } from '../ports/overview.ts'
import { overlap, type Span } from './slices.ts'
import type { Timeline } from './timeline.ts'

export type FilterParameters = {
  readonly project: string
  readonly program: string | null
  /** JSON, an array of ids. */
  readonly notPrograms: string | null
  readonly number: number | null
  /** A bit for each status. */
  readonly statuses: number
  readonly createdAfter: number
  readonly createdBefore: number
  readonly finishedAfter: number | null
  readonly finishedBefore: number | null
  readonly idFrom: string
  readonly idBelow: string
  /** In lower case; null: no condition. */
  readonly errorText: string | null
  readonly notErrorText: string | null
  /** Text in the label, in lower case. */
  readonly label: string | null
  readonly fingerprint: string | null
  readonly waitingKind: number | null
  readonly waitingName: string | null
  /** Only what needs attention; this includes whatever has waited for an event since this time. */
  readonly staleSince: number | null
  /** JSON, an array of ids. */
  readonly againOf: string | null
}

/** Sorts behind every id. */
const AFTER_ALL_IDS = '\u{10FFFF}'

const bitsOf = (statuses: readonly Status[]): number =>
  statuses.reduce((bits, status) => bits | (1 << statusCodes.toCode(status)), 0)

export const FAILED = bitsOf(['failed'])
export const WAITING = bitsOf(['waiting'])

export const filterOf = (query: ExecutionFilter, now: number): FilterParameters => ({
  project: query.projectId,
  program: query.programId ?? null,
  notPrograms: query.notProgramIds === undefined ? null : JSON.stringify(query.notProgramIds),
  number: query.versionNumber ?? null,
  // Nothing that a local runtime stores was started by a Trigger.
  statuses: query.triggerId === undefined ? bitsOf(possibleStatuses(query)) : 0,
  createdAfter: query.createdAfter ?? Number.NEGATIVE_INFINITY,
  createdBefore: query.createdBefore ?? Number.POSITIVE_INFINITY,
  finishedAfter: query.finishedAfter ?? null,
  finishedBefore: query.finishedBefore ?? null,
  idFrom: '',
  idBelow: AFTER_ALL_IDS,
  errorText: null,
  notErrorText: query.notText === undefined ? null : inLowerCase(query.notText),
  label: query.label === undefined ? null : inLowerCase(query.label),
  fingerprint: query.errorFingerprint ?? null,
  waitingKind: query.waitingKind === undefined ? null : openKindCodes.toCode(query.waitingKind),
  waitingName: query.waitingName ?? null,
  staleSince: query.needsAttention === true ? now - STALE_AFTER_MS : null,
  againOf: query.againOf === undefined ? null : JSON.stringify(query.againOf),
})

export const withStatuses = (filter: FilterParameters, bits: number): FilterParameters => ({
  ...filter,
  statuses: filter.statuses & bits,
})

export const withIdPrefix = (filter: FilterParameters, prefix: string): FilterParameters => ({
  ...filter,
  idFrom: prefix,
  idBelow: prefix + AFTER_ALL_IDS,
})

export const isAsked = (filter: FilterParameters, status: Status): boolean =>
  ((filter.statuses >> statusCodes.toCode(status)) & 1) === 1

/** Only a failed Execution has an error. */
export const withErrorText = (filter: FilterParameters, text: string): FilterParameters => ({
  ...withStatuses(filter, FAILED),
  errorText: inLowerCase(text),
})

/** Whether the filter uses only version, status and time of creation. */
export const isOfIndex = (filter: FilterParameters): boolean =>
  [
    filter.finishedAfter,
    filter.finishedBefore,
    filter.errorText,
    filter.notErrorText,
    filter.label,
    filter.fingerprint,
    filter.waitingKind,
    filter.waitingName,
    filter.staleSince,
    filter.againOf,
  ].every((value) => value === null)

/** Whether only versions and statuses decide which of the Executions without an error match. */
export const isOfVersions = (filter: FilterParameters): boolean =>
  isOfIndex({ ...filter, notErrorText: null }) &&
  filter.createdAfter === -Infinity &&
  filter.createdBefore === Infinity &&
  filter.idFrom === ''

/** Of a version `v`. */
export const MATCHES_VERSION = `
  v.project = (SELECT j.key FROM projects j WHERE j.id = @project)
  AND (@program IS NULL OR v.program = (SELECT p.key FROM programs p WHERE p.project = v.project AND p.id = @program))
  AND (@notPrograms IS NULL OR v.program NOT IN (
    SELECT p.key FROM json_each(@notPrograms) n CROSS JOIN programs p ON p.project = v.project AND p.id = n.value))
  AND (@number IS NULL OR v.number = @number)`

const EVENT = openKindCodes.toCode('event')
const EFFECT = openKindCodes.toCode('effect')

/** Of an Execution `e`. */
export const MATCHES_ROW = `
  e.created_at > @createdAfter AND e.created_at < @createdBefore
  AND e.id >= @idFrom AND e.id < @idBelow
  AND (@errorText IS NULL OR instr(lower(e.error_message), @errorText) > 0)
  AND (@notErrorText IS NULL OR e.error_message IS NULL OR instr(lower(e.error_message), @notErrorText) = 0)
  AND (@label IS NULL OR instr(lower(e.label), @label) > 0)
  AND (@finishedAfter IS NULL OR e.finished_at > @finishedAfter)
  AND (@finishedBefore IS NULL OR e.finished_at < @finishedBefore)
  AND (@fingerprint IS NULL OR EXISTS (
    SELECT 1 FROM error_groups g WHERE g.key = e.error_group AND g.fingerprint = @fingerprint))
  AND ((@waitingKind IS NULL AND @waitingName IS NULL) OR EXISTS (
    SELECT 1 FROM pending w WHERE w.execution = e.key
      AND (@waitingKind IS NULL OR w.kind = @waitingKind) AND (@waitingName IS NULL OR w.name = @waitingName)))
  AND (@againOf IS NULL OR e.again_of IN (SELECT f.value FROM json_each(@againOf) f))
  AND (@staleSince IS NULL OR e.status = ${statusCodes.toCode('failed')} OR EXISTS (
    SELECT 1 FROM pending a WHERE a.execution = e.key AND (
      (a.kind = ${EVENT} AND a.since <= @staleSince) OR (a.kind = ${EFFECT} AND a.due_at IS NOT NULL))))`

/** Of an Execution `e` and its version `v`, with a key within the span. */
export const ROW_MATCHES = `e.key >= @low AND e.key < @high AND ((@statuses >> e.status) & 1) = 1
  AND ${MATCHES_ROW} AND ${MATCHES_VERSION}`

/** The keys that can match. */
export const rangeOf = (query: ExecutionFilter, timeline: Timeline, whole: Span): Span => {
  // An Execution that ended before a time was created before it.
  const before = Math.min(query.createdBefore ?? Infinity, query.finishedBefore ?? Infinity)
  if (query.createdAfter === undefined && before === Infinity) return whole
  return overlap(whole, timeline.createdWithin({ after: query.createdAfter ?? -Infinity, before }))
}
