// The columns of the list, from the left.

import type { ComponentType } from 'react'
import type { ExecutionStatus } from '#sdk/index.ts'
import type { ListedExecution } from '../../../api/executions-query.ts'
import { useNow } from '../../../parts/clock.ts'
import { bothTimes, duration, relativeTime } from '../../../parts/format.ts'
import { readablePreview } from '../../../parts/input-summary.ts'
import { backsOff, StatusBadge } from '../../../parts/status-badge.tsx'
import { detailOf } from './detail.ts'
import { withEscapes } from '../../../ui/hidden-characters.ts'
import { classNames } from '../../../ui/class-names.ts'
import { isolated } from '../../../ui/isolated.tsx'
import { visible } from '../../../ui/visible.tsx'

export type ColumnId = 'status' | 'id' | 'input' | 'program' | 'version' | 'detail' | 'started' | 'duration'

type CellProps = {
  readonly execution: ListedExecution
  /** Of a failed one that was run again: the status of its newest run. */
  readonly again?: ExecutionStatus | undefined
}

export type Column = {
  readonly id: ColumnId
  readonly header: string
  /** A track of a CSS grid. */
  readonly track: string
  /** Classes of its cells. Styles stand here rather than on elements inside the cells, of which there would be too many. */
  readonly look?: string
  /** Hidden where the table is narrower than this, in pixels. */
  readonly from?: number
  /** Undefined for the id, which the row draws: its link takes the row's focus. */
  readonly Cell?: ComponentType<CellProps>
}

/** Wide enough for its header. */
export const PROGRAM_TRACK = '5.5rem'
/** For the only one of Program and input or detail. All columns fit on a page of 320 pixels. */
export const REST_TRACK = 'minmax(4rem, 1fr)'

const COLUMNS: readonly Column[] = [
  {
    id: 'status',
    header: 'Status',
    track: '7rem',
    look: 'flex items-center',
    Cell: ({ execution }) => <StatusBadge status={execution.status} backingOff={backsOff(execution)} />,
  },
  // Shows the end of the id: beginnings of ids made on one day are alike.
  { id: 'id', header: 'Execution', track: 'minmax(4rem, 6.5rem)', look: 'text-left [direction:rtl]' },
  {
    id: 'input',
    header: 'Label / input',
    track: 'minmax(6rem, 1fr)',
    Cell: ({ execution }) => <InputCell execution={execution} />,
  },
  {
    id: 'program',
    header: 'Program',
    track: PROGRAM_TRACK,
    look: 'font-medium',
    Cell: ({ execution }) => execution.programId,
  },
  {
    id: 'version',
    header: 'Version',
    track: '4.5rem',
    from: 1010,
    look: 'tabular text-soft',
    Cell: ({ execution }) => `v${execution.versionNumber}`,
  },
  {
    id: 'detail',
    header: 'Waiting for / error',
    track: 'minmax(8.5rem, 1.5fr)',
    Cell: (props) => <DetailCell {...props} />,
  },
  {
    id: 'started',
    header: 'Started',
    track: '6rem',
    from: 640,
    look: 'tabular text-soft',
    Cell: ({ execution }) => <StartedCell at={execution.startedAt ?? execution.createdAt} />,
  },
  {
    id: 'duration',
    header: 'Duration',
    track: '6rem',
    from: 960,
    look: 'tabular text-soft',
    Cell: ({ execution }) => <DurationCell execution={execution} />,
  },
]

/** A narrower table has room for the Program or for one of the two texts, not for both. */
const PROGRAM_AND_TEXT_FROM = 480
/** A narrower table has room for the input or the detail, not for both. */
const BOTH_TEXTS_FROM = 760

/** What all rows of a list have in common. */
export type InCommon = {
  readonly isOfOneProgram: boolean
  /** Each row has an error, or something that it waits for. */
  readonly hasDetails: boolean
}

/** The columns that a table of this width has room for. */
export const columnsAt = (
  widthPx: number,
  hidden: readonly ColumnId[],
  { isOfOneProgram, hasDetails }: InCommon,
): readonly Column[] => {
  const [text, otherText] = hasDetails ? ['detail', 'input'] : ['input', 'detail']
  const lessTelling = isOfOneProgram ? 'program' : text
  const fromOf = ({ id, from = 0 }: Column) =>
    id === otherText ? BOTH_TEXTS_FROM : id === lessTelling ? PROGRAM_AND_TEXT_FROM : from
  return COLUMNS.filter((column) => !hidden.includes(column.id) && widthPx >= fromOf(column))
}

const InputCell = ({ execution }: CellProps) => {
  const { label, inputPreview } = execution
  if (label === undefined && inputPreview === undefined) return null
  return (
    <span
      dir="auto"
      title={withEscapes(label ?? inputPreview ?? '')}
      className={classNames('block truncate', label === undefined && 'text-soft')}
    >
      {label === undefined ? isolated(readablePreview(inputPreview ?? '')) : visible(label)}
    </span>
  )
}

const DetailCell = ({ execution, again }: CellProps) => {
  const { kind, text: detail } = detailOf(execution, useNow())
  if (kind === 'none') return null
  const text = again === undefined ? detail : `Run again, ${again} · ${detail}`
  return (
    <span
      dir="auto"
      title={withEscapes(text)}
      // Somebody took care of what has completed since.
      className={classNames('block truncate', kind === 'error' && again !== 'completed' ? 'text-failed' : 'text-soft')}
    >
      {visible(text)}
    </span>
  )
}

/** Uses the browser's own hint, made when the pointer comes: a component for each of many rows would cost more than the rows. */
const StartedCell = ({ at }: { readonly at: string }) => {
  const now = useNow()
  const ms = Date.parse(at)
  return (
    <time dateTime={at} onPointerEnter={({ currentTarget }) => (currentTarget.title = bothTimes(ms))}>
      {relativeTime(ms, now)}
    </time>
  )
}

const DurationCell = ({ execution: { startedAt, finishedAt } }: CellProps) => {
  const now = useNow()
  if (startedAt === undefined) return '–'
  const from = Date.parse(startedAt)
  const to = finishedAt === undefined ? Math.max(now, from) : Date.parse(finishedAt)
  return duration(to - from)
}
