// The columns of each table.

import type {
  BillingPlan,
  EnvironmentVariable,
  ExecutionSummary,
  HistoryEntry,
  Invoice,
  Program,
  ProgramVersion,
  Project,
  Token,
  Trigger,
  UsageGrouping,
  UsageItem,
  UsageTotal,
  Waiting,
} from '#sdk/index.ts'
import type { ListedWorkspace } from '#hosted/operator/operate-workspaces.ts'
import { statusColour } from './colour.ts'
import type { Cell, Column } from './table.ts'
import { formatBytes } from '#runtime/shared/format-bytes.ts'
import { withCauses } from '#runtime/shared/with-causes.ts'
import { formatDuration, formatRelative } from './times.ts'

/** Times are shown relative to `now`, or as ISO 8601. */
export type TimeStyle = { readonly now: number; readonly iso: boolean }

export const time = (at: string | undefined, { now, iso }: TimeStyle): string =>
  at === undefined ? '' : iso ? at : formatRelative(at, now)

const yes = (value: boolean): Cell => (value ? 'yes' : { text: 'no', colour: 'amber' })

export const executionColumns = (style: TimeStyle): readonly Column<ExecutionSummary>[] => [
  { title: 'ID', cell: (row) => row.id },
  { title: 'PROGRAM', cell: (row) => row.programId, flexible: true },
  { title: 'LABEL', cell: (row) => row.label ?? '', flexible: true, leaveOut: 3, needsText: true },
  { title: 'VERSION', cell: (row) => String(row.versionNumber), align: 'right', leaveOut: 1 },
  { title: 'STATUS', cell: (row) => ({ text: row.status, colour: statusColour(row.status) }) },
  { title: 'CREATED', cell: (row) => time(row.createdAt, style) },
  { title: 'DURATION', cell: durationOf, align: 'right', leaveOut: 2 },
  { title: 'DETAIL', cell: (row) => detailOf(row, style), flexible: true, leaveOut: 4 },
]

/** Empty before its end. */
export const durationOf = ({ startedAt, finishedAt }: ExecutionSummary): string =>
  startedAt === undefined || finishedAt === undefined
    ? ''
    : formatDuration(Date.parse(finishedAt) - Date.parse(startedAt))

/** The message of its error, with those of its causes, or what it waits for. */
export const detailOf = (row: ExecutionSummary, style: TimeStyle): string => {
  if (row.error !== undefined) return withCauses(row.error.message, row.error)
  if (row.status === 'waiting' && row.waitingFor.length === 0) {
    return 'awaits a promise that no event, timer or effect will settle: cancel it'
  }
  const timers = row.waitingFor.filter((one) => one.kind === 'timer')
  const [first] = timers.toSorted((a, b) => Date.parse(a.wakeAt) - Date.parse(b.wakeAt))
  const others = row.waitingFor.filter((one) => one.kind !== 'timer').map((one) => describeWaiting(one, style))
  if (first === undefined) return others.join(', ')
  const next = `${timers.length === 1 ? 'timer' : `${timers.length} timers, next`} ${time(first.wakeAt, style)}`
  return [...others, next].join(', ')
}

const describeWaiting = (waiting: Exclude<Waiting, { kind: 'timer' }>, style: TimeStyle): string => {
  switch (waiting.kind) {
    case 'event': {
      const until = waiting.timeoutAt === undefined ? '' : ` (times out ${time(waiting.timeoutAt, style)})`
      return `event ${waiting.name}${until}`
    }
    case 'effect': {
      if (waiting.attempt === 1) return `effect ${waiting.name}`
      const next = waiting.nextAttemptAt === undefined ? '' : ` ${time(waiting.nextAttemptAt, style)}`
      return `effect ${waiting.name}, attempt ${waiting.attempt}${next}`
    }
  }
}

export const programColumns = (style: TimeStyle): readonly Column<Program>[] => [
  { title: 'ID', cell: (row) => row.id },
  { title: 'VERSION', cell: (row) => String(row.latestVersion.number), align: 'right' },
  { title: 'ORIGIN', cell: (row) => row.latestVersion.origin, leaveOut: 1 },
  { title: 'RUNNABLE', cell: (row) => yes(row.runnable) },
  { title: 'UPDATED', cell: (row) => time(row.updatedAt, style), leaveOut: 2 },
  { title: 'DESCRIPTION', cell: (row) => row.description ?? '', flexible: true, leaveOut: 3 },
]

export const versionColumns = (style: TimeStyle): readonly Column<ProgramVersion>[] => [
  { title: 'VERSION', cell: (row) => String(row.number), align: 'right' },
  { title: 'ID', cell: (row) => row.id },
  { title: 'ORIGIN', cell: (row) => row.origin, leaveOut: 3 },
  { title: 'EFFECTS', cell: (row) => (row.hasEffects ? 'yes' : 'no'), leaveOut: 2 },
  { title: 'RUNNABLE', cell: (row) => yes(row.runnable) },
  { title: 'CREATED', cell: (row) => time(row.createdAt, style) },
  { title: 'DIGEST', cell: (row) => row.digest, flexible: true, leaveOut: 1 },
]

export const projectColumns = (style: TimeStyle): readonly Column<Project>[] => [
  { title: 'ID', cell: (row) => row.id },
  { title: 'NAME', cell: (row) => row.name, flexible: true },
  { title: 'DEFAULT', cell: (row) => (row.isDefault ? 'yes' : '') },
  { title: 'CREATED', cell: (row) => time(row.createdAt, style) },
]

export const historyColumns = (style: TimeStyle): readonly Column<HistoryEntry>[] => [
  { title: '#', cell: (row) => String(row.position), align: 'right' },
  { title: 'TIME', cell: (row) => time(row.at, style), leaveOut: 1 },
  { title: 'TYPE', cell: (row) => row.type },
  { title: 'COMMAND', cell: (row) => (row.command === undefined ? '' : String(row.command)), align: 'right' },
  { title: 'NAME', cell: (row) => row.name ?? '', flexible: true },
  { title: 'DATA', cell: (row) => (row.data === undefined ? '' : JSON.stringify(row.data)), flexible: true },
]

export const tokenColumns = (style: TimeStyle): readonly Column<Token>[] => [
  { title: 'ID', cell: (row) => row.id },
  { title: 'NAME', cell: (row) => row.name, flexible: true },
  { title: 'ROLE', cell: (row) => row.role },
  { title: 'CREATED', cell: (row) => time(row.createdAt, style), leaveOut: 1 },
  {
    title: 'LAST USED',
    cell: (row) => (row.lastUsedAt === undefined ? 'never' : time(row.lastUsedAt, style)),
    leaveOut: 2,
  },
  { title: 'EXPIRES', cell: (row) => (row.expiresAt === undefined ? 'never' : time(row.expiresAt, style)) },
]

export const workspaceColumns = (style: TimeStyle): readonly Column<ListedWorkspace>[] => [
  { title: 'NAME', cell: (row) => row.name, flexible: true },
  { title: 'ID', cell: (row) => row.id },
  { title: 'CREATED', cell: (row) => time(row.createdAt, style), leaveOut: 1 },
  { title: 'LIVE', cell: (row) => String(row.liveExecutions), align: 'right', leaveOut: 2 },
  { title: 'EXECUTIONS', cell: (row) => String(row.executions), align: 'right' },
  { title: 'STORED', cell: (row) => formatBytes(row.storedBytes), align: 'right' },
  { title: 'LAST USED', cell: (row) => (row.lastUsedAt === undefined ? 'never' : time(row.lastUsedAt, style)) },
  {
    title: 'STATUS',
    cell: (row) => (row.removedAt === undefined ? '' : { text: 'not all removed', colour: 'amber' }),
    needsText: true,
  },
]

export const variableColumns = (style: TimeStyle): readonly Column<EnvironmentVariable>[] => [
  { title: 'NAME', cell: (row) => row.name, flexible: true },
  { title: 'CREATED', cell: (row) => time(row.createdAt, style) },
  { title: 'UPDATED', cell: (row) => time(row.updatedAt, style) },
]

export const triggerColumns = (style: TimeStyle): readonly Column<Trigger>[] => [
  { title: 'ID', cell: (row) => row.id },
  { title: 'PROGRAM', cell: (row) => row.programId, flexible: true },
  { title: 'TYPE', cell: (row) => row.type },
  { title: 'ENABLED', cell: (row) => yes(row.enabled), leaveOut: 4 },
  { title: 'NAME', cell: (row) => row.name ?? '', flexible: true, leaveOut: 2 },
  { title: 'LAST', cell: (row) => time(row.lastFiredAt, style), leaveOut: 1 },
  { title: 'NEXT', cell: (row) => time(row.nextFireAt, style), leaveOut: 3 },
  { title: 'DETAIL', cell: triggerDetail, flexible: true },
]

/** A call of anybody may fail: the address is shown all the same. */
const triggerDetail = (row: Trigger): Cell => {
  const what =
    row.type === 'schedule'
      ? `${row.cron ?? ''} ${row.timezone ?? ''}`
      : `${row.url ?? ''}${row.signed === true ? ' (signed)' : ''}`.trimStart()
  return row.lastError === undefined ? what : { text: `${row.lastError} · ${what}`, colour: 'red' }
}

/** The last row of a table of usage is the total. */
export type UsageTableRow = UsageItem & { readonly isTotal?: true }

/** `projectNames`: by id. `isOfOneDay`: otherwise what is stored in all is the average of several days. */
export const usageColumns = (
  groupBy: readonly UsageGrouping[],
  projectNames: ReadonlyMap<string, string>,
  isOfOneDay: boolean,
): readonly Column<UsageTableRow>[] => {
  const total = (index: number, row: UsageTableRow) => (row.isTotal === true && index === 0 ? 'total' : '')
  const groups = (['day', 'project', 'program'] as const).filter((one) => groupBy.includes(one))
  const isAverage = (metric: keyof UsageTotal, row: UsageTableRow) =>
    metric === 'storedBytes' && row.isTotal === true && !isOfOneDay
  return [
    ...groups.map((group, index): Column<UsageTableRow> => ({
      title: group.toUpperCase(),
      cell: (row) => groupValue(row, group, projectNames) ?? total(index, row),
      flexible: group !== 'day',
    })),
    ...METRICS.map(([metric, name]): Column<UsageTableRow> => ({
      title: name.toUpperCase(),
      cell: (row) => `${isAverage(metric, row) ? 'average ' : ''}${formatAmount(metric, row[metric])}`,
      align: 'right',
    })),
  ]
}

const groupValue = (
  { day, projectId, programId }: UsageTableRow,
  group: UsageGrouping,
  projectNames: ReadonlyMap<string, string>,
): string | undefined => {
  // One that was created a moment ago may not be listed yet.
  const project = projectId === undefined ? undefined : (projectNames.get(projectId) ?? projectId)
  return { day, project, program: programId }[group]
}

const METRICS: readonly (readonly [keyof UsageTotal, name: string])[] = [
  ['executions', 'executions'],
  ['turns', 'turns'],
  ['effectAttempts', 'effect attempts'],
  ['events', 'events'],
  ['computeMs', 'compute'],
  ['storedBytes', 'stored'],
]
const METRIC_NAMES: ReadonlyMap<string, string> = new Map(METRICS)

/** A newer service may have more metrics. */
const metricName = (metric: string): string => METRIC_NAMES.get(metric) ?? metric

type InvoiceLine = Invoice['lines'][number]
export type InvoiceTableRow = InvoiceLine | { readonly total: number }

/** The last row is the total. */
export const invoiceColumns = (currency: string): readonly Column<InvoiceTableRow>[] => {
  const amount = (member: 'quantity' | 'included' | 'billable') => (row: InvoiceTableRow) =>
    'metric' in row ? formatAmount(row.metric, row[member]) : ''
  return [
    { title: 'METRIC', cell: (row) => ('metric' in row ? metricName(row.metric) : 'total') },
    { title: 'USED', cell: amount('quantity'), align: 'right' },
    { title: 'INCLUDED', cell: amount('included'), align: 'right' },
    { title: 'BILLABLE', cell: amount('billable'), align: 'right' },
    {
      title: 'AMOUNT',
      cell: (row) => formatMoney('metric' in row ? row.amount : row.total, currency),
      align: 'right',
    },
  ]
}

export const invoiceListColumns = (): readonly Column<Invoice>[] => [
  { title: 'MONTH', cell: (row) => row.periodStart.slice(0, 7) },
  { title: 'EXECUTIONS', cell: (row) => quantityOf(row, 'executions'), align: 'right' },
  { title: 'COMPUTE', cell: (row) => quantityOf(row, 'computeMs'), align: 'right' },
  { title: 'STORED', cell: (row) => quantityOf(row, 'storedBytes'), align: 'right' },
  { title: 'TOTAL', cell: (row) => formatMoney(row.total, row.currency), align: 'right' },
]

const quantityOf = ({ lines }: Invoice, metric: keyof UsageTotal): string => {
  const line = lines.find((one) => one.metric === metric)
  return line === undefined ? '' : formatAmount(metric, line.quantity)
}

export const planColumns = (plan: BillingPlan): readonly Column<keyof UsageTotal>[] => [
  { title: 'METRIC', cell: metricName },
  { title: 'INCLUDED', cell: (metric) => formatAmount(metric, plan.included[metric]), align: 'right' },
  { title: 'PRICE', cell: (metric) => formatMoney(plan.prices[metric].amount, plan.currency), align: 'right' },
  { title: 'PER', cell: (metric) => formatAmount(metric, plan.prices[metric].per) },
]

/** Throws if the answer lacks the amount. */
const formatAmount = (metric: keyof UsageTotal, amount: number): string => {
  if (typeof amount !== 'number') throw new TypeError(`no amount of ${metric}`)
  if (metric === 'storedBytes') return formatBytes(amount)
  return metric === 'computeMs' ? formatDuration(amount) : String(amount)
}

/** `12.34 EUR`, of whole minor units. */
const formatMoney = (minorUnits: number, currency: string): string => {
  const digits = minorDigits(currency)
  return `${(minorUnits / 10 ** digits).toFixed(digits)} ${currency}`
}

const minorDigits = (currency: string): number => {
  try {
    return new Intl.NumberFormat('en', { style: 'currency', currency }).resolvedOptions().maximumFractionDigits ?? 2
  } catch {
    return 0 // not a code of ISO 4217
  }
}
