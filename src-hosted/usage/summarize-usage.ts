// Usage of a range of days, put together from counted rows.

import { ApiError } from '../../src-runtime/contract/errors.ts'
import { meteredNames, USAGE_ITEMS_LIMIT, type Grouping, type Usage } from '../../src-runtime/contract/usage-models.ts'
import { dayText, type Day } from './days.ts'

type Amounts = Usage['total']

type Counts = Omit<Amounts, 'storedBytes'>

export type UsageItem = Usage['items'][number]

type Group = Pick<UsageItem, 'projectId' | 'programId'>

/** What was counted for a group on a day; `storedBytes` is by how much they grew. */
export type UsageRow = Readonly<Group & Amounts> & { readonly day: Day }

export type UsageQuestion = {
  readonly from: Day
  /** Included. */
  readonly to: Day
  /** The last day that has begun; means leave out later ones. */
  readonly today: Day
  readonly groupBy: readonly Grouping[]
}

export type UsageSummary = {
  /** In order. They are made one by one, so that whoever asks for many can do other work in between. */
  readonly items: Iterable<UsageItem>
  readonly total: Amounts
}

/**
 * `rows` hold the projects and Programs that are asked for, and nothing else. Those before `from` count for what was
 * stored when it began. Stored bytes are those at the end of a day, or the mean of the days' ends. Throws for too many items.
 */
export const summarizeUsage = (question: UsageQuestion, rows: readonly UsageRow[]): UsageSummary => {
  // Each group has at most a row for each day and one of what was before, and more rows are not read.
  if (rows.length > 2 * USAGE_ITEMS_LIMIT) throw tooManyItems()
  const total = inOne(question, rows)
  if (question.groupBy.length === 0) return { items: [total], total }
  const groups = [...Map.groupBy(rows, groupKey).values()]
    .map((ofGroup) => ({ group: groupOf(ofGroup[0]), rows: ofGroup }))
    .toSorted((one, other) => inOrder(one.group, other.group))
  refuseTooMany(question, groups.length)
  return {
    items: question.groupBy.includes('day') ? itemsByDay(question, groups) : itemsInOne(question, groups),
    total,
  }
}

/** Throws if so many groups of projects and Programs make too many items. */
export const refuseTooMany = (question: UsageQuestion, groups: number): void => {
  if (groups * (question.groupBy.includes('day') ? daysBegun(question) : 1) > USAGE_ITEMS_LIMIT) throw tooManyItems()
}

const tooManyItems = () =>
  new ApiError(
    'invalid_request',
    `query/groupBy makes more than ${USAGE_ITEMS_LIMIT} items of these days: ask for fewer days, or not by day`,
  )

/** No id has a space. */
const groupKey = ({ projectId, programId }: Group): string => `${projectId} ${programId}`

const groupOf = ({ projectId, programId }: Group = {}): Group => ({
  ...(projectId !== undefined && { projectId }),
  ...(programId !== undefined && { programId }),
})

type Grouped = { readonly group: Group; readonly rows: readonly UsageRow[] }

function* itemsInOne(question: UsageQuestion, groups: readonly Grouped[]): Generator<UsageItem> {
  for (const { group, rows } of groups) {
    const item = { ...group, ...inOne(question, rows) }
    if (isUsed(item)) yield item
  }
}

/** One for each day of the range that has begun, also where nothing was counted. */
function* itemsByDay(question: UsageQuestion, groups: readonly Grouped[]): Generator<UsageItem> {
  const { from } = question
  const growing = groups.map(({ group, rows }) => ({
    group,
    byDay: Map.groupBy(rows, ({ day }) => day),
    storedBytes: rows.reduce((sum, row) => (row.day < from ? sum + row.storedBytes : sum), 0),
  }))
  for (let day = from; day < from + daysBegun(question); day += 1) {
    for (const one of growing) {
      const ofDay = one.byDay.get(day) ?? []
      one.storedBytes += sumOf('storedBytes', ofDay)
      const item = { day: dayText(day), ...one.group, ...countsOf(ofDay), storedBytes: one.storedBytes }
      if (isUsed(item)) yield item
    }
  }
}

const daysBegun = ({ from, to, today }: UsageQuestion): number => Math.max(0, Math.min(to, today) - from + 1)

/** The same as of all days, in a time that depends on the rows alone. */
const inOne = (question: UsageQuestion, rows: readonly UsageRow[]): Amounts => {
  const { from } = question
  const days = daysBegun(question)
  const end = from + days
  // What a day added is stored at the end of that day and of each later one.
  const byteDays = rows.reduce(
    (sum, { day, storedBytes }) => sum + storedBytes * Math.max(0, end - Math.max(day, from)),
    0,
  )
  return {
    ...countsOf(rows.filter(({ day }) => day >= from && day < end)),
    storedBytes: days === 0 ? 0 : Math.round(byteDays / days),
  }
}

const countsOf = (rows: readonly Counts[]): Counts => ({
  executions: sumOf('executions', rows),
  turns: sumOf('turns', rows),
  effectAttempts: sumOf('effectAttempts', rows),
  events: sumOf('events', rows),
  computeMs: sumOf('computeMs', rows),
})

const sumOf = <Name extends string>(name: Name, rows: readonly { readonly [Member in Name]: number }[]): number =>
  rows.reduce((sum, row) => sum + row[name], 0)

const isUsed = (item: UsageItem): boolean => meteredNames.some((name) => item[name] !== 0)

const inOrder = (one: Group, other: Group): number =>
  compare(one.projectId, other.projectId) || compare(one.programId, other.programId)

const compare = (one = '', other = ''): number => (one < other ? -1 : one > other ? 1 : 0)
