// The list's filters as conditions of SQL. Every condition is about an Execution's row `x`.

import type { Status } from '../../src-runtime/engine/journal.ts'
import type { ExecutionFilter } from '../../src-runtime/ports/overview.ts'
import { possibleStatuses, STALE_AFTER_MS } from '../../src-runtime/shared/list-filters.ts'
import { openKindCodes, statusCodes } from '../../src-runtime/shared/row-codes.ts'
import { searchable } from './error-grams.ts'
import type { FoundScope } from './find-scope.ts'
import { beginsAllIds, isWholeId, keysOfIdPrefix, spanOf, type Span } from './key-times.ts'
import { toStored } from './stored-text.ts'

/** The parameters of one statement. The workspace's key is the first. */
export type Parameters = { add(value: unknown, type: string): string; readonly values: readonly unknown[] }

export const createParameters = (): Parameters => {
  const values: unknown[] = []
  return {
    values,
    add: (value, type) => `$${values.push(value) + 1}::${type}`,
  }
}

/** The filter, and what is derived from it. */
export type ReadFilter = {
  readonly filter: ExecutionFilter
  /** Statuses that can match. */
  readonly statuses: readonly Status[]
  readonly span: Span
  /** Waits that began before need attention. */
  readonly staleSince: number
}

export const readFilter = (filter: ExecutionFilter & { readonly beforeKey?: number }, now: number): ReadFilter => ({
  filter,
  statuses: possibleStatuses(filter),
  span: spanOf(filter),
  staleSince: now - STALE_AFTER_MS,
})

export const codesOf = (statuses: readonly Status[]): readonly number[] =>
  statuses.map((status) => statusCodes.toCode(status))

export const and = (...conditions: readonly string[]): string => conditions.join(' AND ')

export const ofVersions = ({ versions }: FoundScope, parameters: Parameters): readonly string[] =>
  versions === undefined ? [] : [`x.version = ANY (${parameters.add(versions, 'int[]')})`]

export const withStatuses = (statuses: readonly Status[], parameters: Parameters): string =>
  `x.status = ANY (${parameters.add(codesOf(statuses), 'smallint[]')})`

export const inSpan = ({ low, high }: Span, column: string, parameters: Parameters): readonly string[] => [
  ...(low > 0 ? [`${column} >= ${parameters.add(low, 'bigint')}`] : []),
  ...(high < Number.MAX_SAFE_INTEGER ? [`${column} < ${parameters.add(high, 'bigint')}`] : []),
]

/** The conditions that remain for a row whose project, version, status and time of creation match. */
export const rowConditions = ({ filter }: ReadFilter, parameters: Parameters): readonly string[] => {
  const { finishedAfter, finishedBefore, notText, label, waitingKind, waitingName, triggerId, againOf } = filter
  return [
    ...(finishedAfter === undefined ? [] : [`x.finished_at > ${parameters.add(finishedAfter, 'bigint')}`]),
    ...(finishedBefore === undefined ? [] : [`x.finished_at < ${parameters.add(finishedBefore, 'bigint')}`]),
    ...(triggerId === undefined ? [] : [`x.trigger_id = ${parameters.add(toStored(triggerId), 'text')}`]),
    ...(againOf === undefined ? [] : [`x.again_of = ANY (${parameters.add(againOf.map(toStored), 'text[]')})`]),
    ...(notText === undefined ? [] : [`NOT ${hasText(notText, parameters)}`]),
    ...(label === undefined ? [] : [hasLabel(label, parameters)]),
    ...(waitingKind === undefined && waitingName === undefined ? [] : [waits(filter, parameters)]),
  ]
}

/** In the message of its error. */
export const hasText = (text: string, parameters: Parameters): string =>
  `EXISTS (SELECT FROM error_texts t WHERE t.execution = x.key AND strpos(t.text, ${parameters.add(searchable(text), 'text')}) > 0)`

const hasLabel = (text: string, parameters: Parameters): string =>
  `EXISTS (SELECT FROM label_texts t WHERE t.project = x.project AND t.execution = x.key
     AND strpos(t.text, ${parameters.add(searchable(text), 'text')}) > 0)`

const waits = ({ waitingKind, waitingName }: ExecutionFilter, parameters: Parameters): string => {
  const conditions = [
    'w.execution = x.key',
    ...(waitingKind === undefined ? [] : [`w.kind = ${parameters.add(openKindCodes.toCode(waitingKind), 'smallint')}`]),
    ...(waitingName === undefined ? [] : [`w.name = ${parameters.add(toStored(waitingName), 'text')}`]),
  ]
  return `EXISTS (SELECT FROM pending w WHERE ${and(...conditions)})`
}

/** Waits for the same event for long. */
export const isStale = (staleSince: number, parameters: Parameters): string =>
  `EXISTS (SELECT FROM pending w WHERE w.execution = x.key AND w.kind = 0 AND w.since <= ${parameters.add(staleSince, 'bigint')})`

/** Without a text that all ids begin with, as the first ones do that somebody types who looks for an id. */
export const withoutTextOfAll = <Filter extends ExecutionFilter>({ text, ...filter }: Filter, now: number) =>
  text === undefined || beginsAllIds(text, now) ? filter : { ...filter, text }

/**
 * Where PostgreSQL's clock was set back, ids go on from the time at which they were, and keys do not. By its key, because the planner, which
 * does not know that `x.id` is one row, would walk through a run of keys.
 */
const hasId = (id: string, parameters: Parameters): string =>
  `x.key = (SELECT i.key FROM executions i WHERE i.id = ${parameters.add(id, 'text')})`

/** By the beginning of its id; `undefined`: no id of that time begins so. */
export const withIdPrefix = (
  read: ReadFilter,
  prefix: string,
  parameters: Parameters,
): { readonly span: Span; readonly condition: string } | undefined => {
  if (isWholeId(prefix)) return { span: read.span, condition: hasId(prefix, parameters) }
  const keys = keysOfIdPrefix(prefix)
  if (keys === undefined) return undefined
  const span = { low: Math.max(read.span.low, keys.low), high: Math.min(read.span.high, keys.high) }
  if (span.low >= span.high) return undefined
  const text = parameters.add(prefix, 'text')
  return { span, condition: `starts_with(x.id, ${text})` }
}
