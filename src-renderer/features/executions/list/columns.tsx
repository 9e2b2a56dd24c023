// The columns of the list, from the left.

import { columnVisibilityFeature, createColumnHelper, tableFeatures } from '@tanstack/react-table'
import type { ListedExecution } from '../../../api/executions-query.ts'
import { useNow } from '../../../parts/clock.ts'
import { absoluteTime, duration, relativeTime } from '../../../parts/format.ts'
import { backsOff, StatusBadge } from '../../../parts/status-badge.tsx'
import { classNames } from '../../../ui/class-names.ts'
import { detailOf } from './detail.ts'

type ColumnMeta = {
  /** A track of a CSS grid. */
  readonly track: string
  /** Hidden where the table is narrower than this, in pixels. */
  readonly from?: number
}

export const features = tableFeatures({ columnVisibilityFeature, columnMeta: {} as ColumnMeta })
export type Features = typeof features

const helper = createColumnHelper<Features, ListedExecution>()

export const COLUMNS = helper.columns([
  helper.display({
    id: 'status',
    header: 'Status',
    meta: { track: '7rem' },
    cell: ({ row: { original } }) => <StatusBadge status={original.status} backingOff={backsOff(original)} />,
  }),
  // Drawn by the row, whose focus it takes.
  helper.display({ id: 'id', header: 'Execution', meta: { track: '15rem' } }),
  helper.display({
    id: 'program',
    header: 'Program',
    meta: { track: 'minmax(8.5rem, 1fr)' },
    cell: ({ row: { original } }) => <span className="truncate font-medium">{original.programId}</span>,
  }),
  helper.display({
    id: 'version',
    header: 'Version',
    meta: { track: '4.5rem', from: 820 },
    cell: ({ row: { original } }) => <span className="tabular text-soft">v{original.versionNumber}</span>,
  }),
  helper.display({
    id: 'detail',
    header: 'Waits for, or error',
    meta: { track: 'minmax(9rem, 2.2fr)', from: 640 },
    cell: ({ row: { original } }) => <DetailCell execution={original} />,
  }),
  helper.display({
    id: 'started',
    header: 'Started',
    meta: { track: '6rem' },
    cell: ({ row: { original } }) => <StartedCell at={original.startedAt ?? original.createdAt} />,
  }),
  helper.display({
    id: 'duration',
    header: 'Duration',
    meta: { track: '6rem', from: 720 },
    cell: ({ row: { original } }) => <DurationCell execution={original} />,
  }),
])

export type ColumnId = 'status' | 'id' | 'program' | 'version' | 'detail' | 'started' | 'duration'

/** Which columns there is room for. */
export const visibleAt = (width: number, hidden: readonly ColumnId[]): Record<string, boolean> =>
  Object.fromEntries(
    COLUMNS.map(({ id = '', meta }) => [
      id,
      !(hidden as readonly string[]).includes(id) && (meta?.from === undefined || width >= meta.from),
    ]),
  )

const DetailCell = ({ execution }: { readonly execution: ListedExecution }) => {
  const { kind, text } = detailOf(execution, useNow())
  return (
    <span title={text} className={classNames('truncate', kind === 'error' ? 'text-failed' : 'text-soft')}>
      {text}
    </span>
  )
}

/** Hints for each of many rows would cost more than the rows; the browser's own do here, made when they are needed. */
const StartedCell = ({ at }: { readonly at: string }) => {
  const now = useNow()
  const ms = Date.parse(at)
  return (
    <time
      dateTime={at}
      onPointerEnter={({ currentTarget }) => (currentTarget.title = bothTimes(ms))}
      className="tabular truncate text-soft"
    >
      {relativeTime(ms, now)}
    </time>
  )
}

const bothTimes = (ms: number): string => `${absoluteTime(ms, 'local')} local\n${absoluteTime(ms, 'utc')} UTC`

const DurationCell = ({ execution: { startedAt, finishedAt } }: { readonly execution: ListedExecution }) => {
  const now = useNow()
  if (startedAt === undefined) return <span className="text-faint">–</span>
  const from = Date.parse(startedAt)
  const to = finishedAt === undefined ? Math.max(now, from) : Date.parse(finishedAt)
  return <span className="tabular truncate text-soft">{duration(to - from)}</span>
}
