// The columns of the list, from the left.

import { columnVisibilityFeature, createColumnHelper, tableFeatures } from '@tanstack/react-table'
import type { ListedExecution } from '../../../api/executions-query.ts'
import { useNow } from '../../../parts/clock.ts'
import { bothTimes, duration, relativeTime } from '../../../parts/format.ts'
import { backsOff, StatusBadge } from '../../../parts/status-badge.tsx'
import { detailOf } from './detail.ts'

type ColumnMeta = {
  /** A track of a CSS grid. */
  readonly track: string
  /** Of its cells. As much as possible is said here: elements in cells are many times as many. */
  readonly look?: string
  /** Hidden where the table is narrower than this, in pixels. */
  readonly from?: number
}

export const features = tableFeatures({ columnVisibilityFeature, columnMeta: {} as ColumnMeta })
export type Features = typeof features

const helper = createColumnHelper<Features, ListedExecution>()

export const PROGRAM_TRACK = '8.5rem'

export const COLUMNS = helper.columns([
  helper.display({
    id: 'status',
    header: 'Status',
    meta: { track: '7rem', look: 'flex items-center' },
    cell: ({ row: { original } }) => <StatusBadge status={original.status} backingOff={backsOff(original)} />,
  }),
  // Drawn by the row, whose focus it takes.
  helper.display({ id: 'id', header: 'Execution', meta: { track: '15rem' } }),
  helper.display({
    id: 'program',
    header: 'Program',
    // As wide as the project's names need, as soon as they are known.
    meta: { track: PROGRAM_TRACK, look: 'font-medium' },
    cell: ({ row: { original } }) => original.programId,
  }),
  helper.display({
    id: 'version',
    header: 'Version',
    meta: { track: '4.5rem', from: 820, look: 'tabular text-soft' },
    cell: ({ row: { original } }) => `v${original.versionNumber}`,
  }),
  helper.display({
    id: 'detail',
    header: 'Waits for, or error',
    meta: { track: 'minmax(9rem, 1fr)', from: 640 },
    cell: ({ row: { original } }) => <DetailCell execution={original} />,
  }),
  helper.display({
    id: 'started',
    header: 'Started',
    meta: { track: '6rem', look: 'tabular text-soft' },
    cell: ({ row: { original } }) => <StartedCell at={original.startedAt ?? original.createdAt} />,
  }),
  helper.display({
    id: 'duration',
    header: 'Duration',
    meta: { track: '6rem', from: 720, look: 'tabular text-soft' },
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
  if (kind === 'none') return null
  return (
    <span title={text} className={kind === 'error' ? 'text-failed' : 'text-soft'}>
      {text}
    </span>
  )
}

/** Hints for each of many rows would cost more than the rows; the browser's own do here, made when they are needed. */
const StartedCell = ({ at }: { readonly at: string }) => {
  const now = useNow()
  const ms = Date.parse(at)
  return (
    <time dateTime={at} onPointerEnter={({ currentTarget }) => (currentTarget.title = bothTimes(ms))}>
      {relativeTime(ms, now)}
    </time>
  )
}

const DurationCell = ({ execution: { startedAt, finishedAt } }: { readonly execution: ListedExecution }) => {
  const now = useNow()
  if (startedAt === undefined) return '–'
  const from = Date.parse(startedAt)
  const to = finishedAt === undefined ? Math.max(now, from) : Date.parse(finishedAt)
  return duration(to - from)
}
