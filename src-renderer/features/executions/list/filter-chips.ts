// Describes each part of a filter in words, and returns the filter without that part or with its inverse. Pure.

import { relativeMs } from '../../../api/relative-times.ts'
import { count, duration, type TimeDisplay, zonedTime } from '../../../parts/format.ts'
import type { ListFilter } from './search-filter.ts'

export type Chip = {
  /** `Status`. */
  readonly what: string
  /** `is`, `is not`, `contains` … */
  readonly how: string
  /** `failed or cancelled`. */
  readonly value: string
  readonly without: ListFilter
  /** The filter with this part inverted, where the API has the inverse. */
  readonly opposite?: ListFilter
}

const without = (filter: ListFilter, ...names: readonly (keyof ListFilter)[]): ListFilter =>
  Object.fromEntries(Object.entries(filter).filter(([name]) => !(names as readonly string[]).includes(name)))

const either = (values: readonly string[]): string => values.join(' or ')
const both = <Item>(one: readonly Item[] = [], other: readonly Item[] = []): readonly Item[] => [
  ...new Set([...one, ...other]),
]

/** What a filter names by its id only, as far as it is known. */
export type FilterNames = {
  /** An error of the group. */
  readonly errorLike?: string | undefined
  readonly triggerName?: string | undefined
}

export const chipsOf = (filter: ListFilter, display: TimeDisplay, names: FilterNames = {}): readonly Chip[] => [
  ...statusChips(filter),
  ...programChips(filter),
  ...textChips(filter),
  ...timeChips(filter, display),
  ...otherChips(filter, names),
  ...unknownChips(filter),
]

const statusChips = (filter: ListFilter): readonly Chip[] => {
  const { status, notStatus } = filter
  const chips: Chip[] = []
  if (status !== undefined) {
    const rest = without(filter, 'status')
    const opposite = { ...rest, notStatus: both(notStatus, status) }
    chips.push({ what: 'Status', how: 'is', value: either(status), without: rest, opposite })
  }
  if (notStatus !== undefined) {
    const rest = without(filter, 'notStatus')
    const opposite = { ...rest, status: both(status, notStatus) }
    chips.push({ what: 'Status', how: 'is not', value: either(notStatus), without: rest, opposite })
  }
  return chips
}

const programChips = (filter: ListFilter): readonly Chip[] => {
  const { programId, notProgramId, version } = filter
  const chips: Chip[] = []
  if (programId !== undefined) {
    // A version number has no meaning without its Program.
    const rest = without(filter, 'programId', 'version')
    const opposite = { ...rest, notProgramId: both(notProgramId, [programId]) }
    chips.push({ what: 'Program', how: 'is', value: programId, without: rest, opposite })
  }
  for (const excluded of notProgramId ?? []) {
    const others = (notProgramId ?? []).filter((one) => one !== excluded)
    const rest: ListFilter = {
      ...without(filter, 'notProgramId'),
      ...(others.length > 0 && { notProgramId: others }),
    }
    chips.push({
      what: 'Program',
      how: 'is not',
      value: excluded,
      without: rest,
      opposite: { ...rest, programId: excluded },
    })
  }
  if (version !== undefined) {
    chips.push({ what: 'Version', how: 'is', value: String(version), without: without(filter, 'version') })
  }
  return chips
}

const textChips = (filter: ListFilter): readonly Chip[] => {
  const { q, notQ, label } = filter
  const chips: Chip[] = []
  if (q !== undefined) {
    const rest = without(filter, 'q')
    chips.push({ what: 'Id or error', how: 'has', value: `“${q}”`, without: rest, opposite: { ...rest, notQ: q } })
  }
  if (notQ !== undefined) {
    const rest = without(filter, 'notQ')
    chips.push({ what: 'Error', how: 'has not', value: `“${notQ}”`, without: rest, opposite: { ...rest, q: notQ } })
  }
  if (label !== undefined) {
    chips.push({ what: 'Label', how: 'has', value: `“${label}”`, without: without(filter, 'label') })
  }
  return chips
}

const TIMES = [
  ['createdAfter', 'Started', 'after'],
  ['createdBefore', 'Started', 'before'],
  ['finishedAfter', 'Ended', 'after'],
  ['finishedBefore', 'Ended', 'before'],
] as const

const timeChips = (filter: ListFilter, display: TimeDisplay): readonly Chip[] =>
  TIMES.flatMap(([name, what, how]) => {
    const time = filter[name]
    if (time === undefined) return []
    const ago = relativeMs(time)
    const rest = without(filter, name)
    if (ago === undefined) return [{ what, how, value: zonedTime(Date.parse(time), display), without: rest }]
    const value = how === 'after' ? duration(ago) : `${duration(ago)} ago`
    return [{ what, how: how === 'after' ? 'in the last' : how, value, without: rest }]
  })

const otherChips = (filter: ListFilter, { errorLike, triggerName }: FilterNames): readonly Chip[] => {
  const { needsAttention, waitingKind, waitingName, errorFingerprint, triggerId, againOf } = filter
  const chips: Chip[] = []
  if (needsAttention === true) {
    chips.push({ what: 'Needs', how: '', value: 'attention', without: without(filter, 'needsAttention') })
  }
  if (waitingKind !== undefined || waitingName !== undefined) {
    chips.push({
      what: 'Waits',
      how: 'for',
      value: [waitingKind, waitingName].filter((part) => part !== undefined).join(' '),
      without: without(filter, 'waitingKind', 'waitingName'),
    })
  }
  if (errorFingerprint !== undefined) {
    const rest = without(filter, 'errorFingerprint')
    chips.push(
      errorLike === undefined
        ? { what: 'Error group', how: 'is', value: errorFingerprint.slice(0, 12), without: rest }
        : { what: 'Error', how: 'like', value: `“${errorLike}”`, without: rest },
    )
  }
  if (triggerId !== undefined) {
    chips.push({ what: 'Trigger', how: 'is', value: triggerName ?? triggerId, without: without(filter, 'triggerId') })
  }
  if (againOf !== undefined) {
    const [first = '', ...others] = againOf
    const value = others.length === 0 ? first : `${first} or ${count(others.length)} more`
    chips.push({ what: 'Run again', how: 'of', value, without: without(filter, 'againOf') })
  }
  return chips
}

const unknownChips = (filter: ListFilter): readonly Chip[] =>
  (filter.unknown ?? []).map((value, _, all) => {
    const others = all.filter((one) => one !== value)
    const rest = without(filter, 'unknown')
    return {
      what: 'Unknown filter',
      how: '',
      value,
      without: others.length === 0 ? rest : { ...rest, unknown: others },
    }
  })

/** The whole filter in one sentence. */
export const sentenceOf = (filter: ListFilter, display: TimeDisplay, names?: FilterNames): string =>
  chipsOf(filter, display, names)
    .map(({ what, how, value }) => [what, how, value].filter((part) => part !== '').join(' '))
    .join(', ')
