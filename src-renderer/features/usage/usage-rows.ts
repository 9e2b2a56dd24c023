// The rows of the table of usage, the same as CSV, and the bars of the plot. Pure.

import type { Usage, UsageGrouping, UsageItem } from '#sdk/index.ts'
import { csvOf } from '../../parts/csv.ts'
import { METRIC_LABELS, USAGE_METRICS, type UsageMetric } from '../../parts/usage-amounts.ts'

/** The newest day first; within a day, what used most of the metric first. */
export const sortedRows = (items: readonly UsageItem[], metric: UsageMetric): readonly UsageItem[] =>
  items.toSorted(
    (one, other) =>
      compare(other.day, one.day) ||
      other[metric] - one[metric] ||
      compare(one.projectId, other.projectId) ||
      compare(one.programId, other.programId),
  )

const compare = (one = '', other = ''): number => (one < other ? -1 : one > other ? 1 : 0)

export type ProjectNames = (id: string) => string

const UNITS: Partial<Readonly<Record<UsageMetric, string>>> = { computeMs: ' (ms)', storedBytes: ' (bytes)' }

/** What the table shows, with whole numbers. */
export const usageCsv = (
  { total }: Pick<Usage, 'total'>,
  rows: readonly UsageItem[],
  groupBy: readonly UsageGrouping[],
  nameOf: ProjectNames,
): string => {
  const groups: readonly (readonly [string, (row: UsageItem) => string])[] = [
    ...(groupBy.includes('day') ? [['Day', (row: UsageItem) => row.day ?? ''] as const] : []),
    ...(groupBy.includes('project')
      ? [
          ['Project', ({ projectId = '' }: UsageItem) => nameOf(projectId)] as const,
          ['Project id', (row: UsageItem) => row.projectId ?? ''] as const,
        ]
      : []),
    ...(groupBy.includes('program') ? [['Program', (row: UsageItem) => row.programId ?? ''] as const] : []),
  ]
  const amounts = (row: Usage['total']) => USAGE_METRICS.map((metric) => row[metric])
  return csvOf(
    [
      ...groups.map(([header]) => header),
      ...USAGE_METRICS.map((metric) => METRIC_LABELS[metric] + (UNITS[metric] ?? '')),
    ],
    [
      ...rows.map((row) => [...groups.map(([, value]) => value(row)), ...amounts(row)]),
      [...groups.map((_, index) => (index === 0 ? 'Total' : '')), ...amounts(total)],
    ],
  )
}

export const csvName = ({ from, to }: Pick<Usage, 'from' | 'to'>, groupBy: readonly UsageGrouping[]): string =>
  `usage-${from}-to-${to}-by-${groupBy.join('-')}.csv`

export type Bars = {
  readonly label: string
  /** Index of the colour; undefined for the series of all others together. */
  readonly rank: number | undefined
  readonly values: readonly number[]
}

const MOST_BARS = 5

/** `items` are grouped by day, and perhaps by project and Program: one series for each of these, the largest first. */
export const barsOf = (
  items: readonly UsageItem[],
  days: readonly string[],
  metric: UsageMetric,
  nameOf: ProjectNames,
): readonly Bars[] => {
  const groups = [...Map.groupBy(items, (item) => groupName(item, nameOf) ?? METRIC_LABELS[metric])]
    .map(([label, ofGroup]) => ({ label, values: valuesOf(ofGroup, days, metric) }))
    .map((group) => ({ ...group, sum: sum(group.values) }))
    .toSorted((one, other) => other.sum - one.sum || compare(one.label, other.label))
  const [most, rest] = [groups.slice(0, MOST_BARS), groups.slice(MOST_BARS)]
  const bars = most.map(({ label, values }, rank): Bars => ({ label, rank, values }))
  if (rest.length === 0) return bars
  const others = days.map((_, index) => sum(rest.map(({ values }) => values[index] ?? 0)))
  return [...bars, { label: `${rest.length} others`, rank: undefined, values: others }]
}

const groupName = ({ projectId, programId }: UsageItem, nameOf: ProjectNames): string | undefined =>
  projectId === undefined ? programId : [nameOf(projectId), programId].filter((part) => part !== undefined).join(' / ')

const valuesOf = (items: readonly UsageItem[], days: readonly string[], metric: UsageMetric): readonly number[] => {
  const byDay = Map.groupBy(items, ({ day }) => day)
  return days.map((day) => sum((byDay.get(day) ?? []).map((item) => item[metric])))
}

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0)
