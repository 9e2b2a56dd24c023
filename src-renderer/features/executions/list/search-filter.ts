// Reads the list's filter from an address, with the API's names. Any address is safe to open: nothing matches a filter
// with names or values that are not known.

import type { ExecutionFilter, ExecutionStatus, Waiting } from '#sdk/index.ts'
import { LONGEST_LABEL } from '../../../api/executions-query.ts'
import { relativeMs } from '../../../api/relative-times.ts'
import { positiveInteger, type Search, stringifySearch } from '../../../parts/search-parameters.ts'

export const STATUSES = [
  'queued',
  'running',
  'waiting',
  'cancelling',
  'completed',
  'failed',
  'cancelled',
] as const satisfies readonly ExecutionStatus[]

const WAITING_KINDS = ['event', 'timer', 'effect'] as const satisfies readonly Waiting['kind'][]

/** A filter with lists as arrays and times as text, without absent members. */
export type ListFilter = {
  readonly status?: readonly ExecutionStatus[]
  readonly notStatus?: readonly ExecutionStatus[]
  readonly programId?: string
  readonly notProgramId?: readonly string[]
  readonly version?: number
  readonly createdAfter?: string
  readonly createdBefore?: string
  readonly finishedAfter?: string
  readonly finishedBefore?: string
  readonly q?: string
  readonly notQ?: string
  readonly label?: string
  readonly needsAttention?: true
  readonly waitingKind?: Waiting['kind']
  readonly waitingName?: string
  readonly errorFingerprint?: string
  readonly triggerId?: string
  readonly againOf?: readonly string[]
  /** Parts of an address that are not known, such as `status=fialed` or `statuss=failed`. */
  readonly unknown?: readonly string[]
}

export const LONGEST_TEXT = 500

const allTextsOf = (value: unknown): readonly string[] =>
  (Array.isArray(value) ? value : [value])
    // A link gives numbers and yes as they are.
    .map((one: unknown) => (typeof one === 'number' || one === true ? String(one) : one))
    .filter((one): one is string => typeof one === 'string' && one !== '')

const textsOf = (value: unknown): readonly string[] => allTextsOf(value).filter(({ length }) => length <= LONGEST_TEXT)

const some = <Item>(items: readonly Item[]): readonly Item[] | undefined =>
  items.length === 0 ? undefined : [...new Set(items)]

const isStatus = (text: string): text is ExecutionStatus => (STATUSES as readonly string[]).includes(text)

const timeOf = (value: unknown): string | undefined =>
  textsOf(value).find((text) => relativeMs(text) !== undefined || !Number.isNaN(Date.parse(text)))

/** Times without a zone are in the user's zone; the API refuses them. */
const withZone = (time: string | undefined): string | undefined =>
  time === undefined || relativeMs(time) !== undefined ? time : new Date(time).toISOString()

/** Each member of a filter, as it is read from an address. */
const READERS: {
  readonly [Name in Exclude<keyof ListFilter, 'unknown'>]-?: (value: unknown) => ListFilter[Name] | undefined
} = {
  status: (value) => some(textsOf(value).filter(isStatus)),
  notStatus: (value) => some(textsOf(value).filter(isStatus)),
  programId: (value) => textsOf(value)[0],
  notProgramId: (value) => some(textsOf(value)),
  version: (value) => positiveInteger(textsOf(value)[0]),
  createdAfter: (value) => withZone(timeOf(value)),
  createdBefore: (value) => withZone(timeOf(value)),
  finishedAfter: (value) => withZone(timeOf(value)),
  finishedBefore: (value) => withZone(timeOf(value)),
  q: (value) => textsOf(value)[0],
  notQ: (value) => textsOf(value)[0],
  label: (value) => textsOf(value).find(({ length }) => length <= LONGEST_LABEL),
  needsAttention: (value) => (textsOf(value)[0] === 'true' ? true : undefined),
  waitingKind: (value) => WAITING_KINDS.find((kind) => kind === textsOf(value)[0]),
  waitingName: (value) => textsOf(value)[0],
  errorFingerprint: (value) => textsOf(value)[0],
  triggerId: (value) => textsOf(value)[0],
  againOf: (value) => some(textsOf(value)),
}

type Name = keyof typeof READERS

const NAMES = Object.keys(READERS) as readonly Name[]

const REPEATABLE: ReadonlySet<Name> = new Set(['status', 'notStatus', 'notProgramId', 'againOf'])

/** What an address of the list may hold besides the filter: the tab of a Program's screen. */
const OTHERS: ReadonlySet<string> = new Set(['tab', 'unknown'])

const isName = (name: string): name is Name => Object.hasOwn(READERS, name)

const isUnknown = (name: string, text: string, index: number): boolean =>
  !isName(name) || (index > 0 && !REPEATABLE.has(name)) || READERS[name](text) === undefined

const unknownIn = (name: string, value: unknown): readonly string[] =>
  allTextsOf(value)
    .filter((text, index) => isUnknown(name, text, index))
    .map((text) => `${name}=${text}`)
    .filter((text) => text !== 'needsAttention=false')

export const filterOf = (search: Search): ListFilter => {
  const unknown = [
    ...allTextsOf(search['unknown']),
    ...Object.entries(search).flatMap(([name, value]) => (OTHERS.has(name) ? [] : unknownIn(name, value))),
  ]
  const read = NAMES.map((name) => [name, READERS[name](search[name])]).filter(([, value]) => value !== undefined)
  return { ...(Object.fromEntries(read) as ListFilter), ...(unknown.length > 0 && { unknown: some(unknown) }) }
}

export const isFiltered = (filter: ExecutionFilter): boolean =>
  Object.values(filter).some((value) => value !== undefined)

/** A filter as text, to be remembered, and back. */
export const textOf = (filter: ListFilter): string => stringifySearch(filter).slice(1)

export const filterFromText = (text: string): ListFilter => {
  const query = new URLSearchParams(text)
  return filterOf(Object.fromEntries([...NAMES, 'unknown'].map((name) => [name, query.getAll(name)])))
}

/** The id in a pasted text that is a whole id, with or without `exe_`. */
export const executionIdIn = (text: string): string | undefined => {
  const [, id] = /^(?:exe_)?([0-7][0-9a-hjkmnp-tv-z]{25})$/.exec(text.trim().toLowerCase()) ?? []
  return id === undefined ? undefined : `exe_${id}`
}
