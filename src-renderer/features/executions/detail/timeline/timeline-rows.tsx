// The rows of the timeline: lanes of point-in-time entries, then one row of bars per command. Each drawing also has a
// text.

import { Activity, ChevronRight, Clock3, Inbox, MessageSquareText, Zap } from 'lucide-react'
import { memo, type ReactNode } from 'react'
import type { ExecutionStatus } from '#sdk/index.ts'
import { count, plural } from '../../../../parts/format.ts'
import { classNames } from '../../../../ui/class-names.ts'
import { sinceStart } from '../entry/entry-words.ts'
import type { Command } from '../journal/commands.ts'
import type { MomentKind } from '../journal/journal.ts'
import { toUnit } from './axis.ts'
import { type Bar, barsApart, barsOf, commandTitle, fanOutOf, labelOf, outcomeText } from './bars.ts'
import { BAR_CLASSES } from './looks.ts'
import { type Mark, marksOf } from './marks.ts'
import type { Scale } from './use-scale.ts'
import { percentOf } from './viewport.ts'
import type { Lane } from './walk-rows.ts'
import { withEscapes } from '../../../../ui/hidden-characters.ts'
import { visible } from '../../../../ui/visible.tsx'

/** The width of the name column, before the plot. */
export const NAME_CLASS = 'w-(--names) shrink-0'
/** The width of the duration column, after the plot. */
export const END_CLASS = 'w-(--ends) shrink-0 truncate pr-4 pl-3'
export const ROW_PX = 26

type RowProps = { readonly scale: Scale; readonly selected: number | undefined }

const KIND_ICONS = { effect: Zap, timer: Clock3, wait: Inbox } as const
const LANE_ICONS: Readonly<Record<MomentKind, typeof Zap>> = {
  execution: Activity,
  events: Inbox,
  logs: MessageSquareText,
}

/** `data-position` says which entry an element belongs to. */
export const CommandCells = memo(
  ({ command, isMember, scale, selected }: RowProps & { readonly command: Command; readonly isMember: boolean }) => {
    const Icon = KIND_ICONS[command.kind]
    return (
      <>
        <Name
          icon={<Icon size={13} aria-label={command.kind} role="img" />}
          number={command.number}
          isIndented={isMember}
        >
          {commandTitle(command)}
        </Name>
        <Plot
          words={`${outcomeText(command, scale.now)}, ${sinceStart(command.from, scale.axis.from)} after the start`}
        >
          {barsApart(barsOf(command, scale.now), (time) => (scale.widthPx / 100) * leftOf(scale, time), selected).map(
            (bar, index) => (
              <BarView key={index} bar={bar} scale={scale} isSelected={bar.position === selected} />
            ),
          )}
        </Plot>
        <End isFailed={command.outcome === 'failed'}>{labelOf(command, scale.now)}</End>
      </>
    )
  },
)

/** Commands of one effect that ran at the same time. `data-group` opens and closes them. */
export const GroupCells = memo(
  ({
    commands,
    isOpen,
    scale,
  }: Pick<RowProps, 'scale'> & { readonly commands: readonly Command[]; readonly isOpen: boolean }) => {
    const first = commands[0]!
    const { from, to, halfAt, look, failures, label } = fanOutOf(commands, scale.now)
    const name = `${commandTitle(first)} × ${count(commands.length)}`
    const bar = { from, look, position: first.position, title: `${name}: ${label}` }
    return (
      <>
        <span role="rowheader" className={classNames('flex items-center pr-3 pl-5', NAME_CLASS)}>
          <button
            type="button"
            tabIndex={-1}
            aria-expanded={isOpen}
            data-group={first.number}
            className="-ml-1 flex min-w-0 flex-1 items-center gap-1.5 rounded-sm text-left hover:text-accent"
          >
            <ChevronRight
              size={14}
              className={classNames('shrink-0 text-faint transition-transform', isOpen && 'rotate-90')}
            />
            <span dir="auto" className="truncate font-medium">
              {visible(name)}
            </span>
          </button>
        </span>
        <Plot words={`${label}, ${sinceStart(from, scale.axis.from)} after the start`}>
          <span className="opacity-40">
            <BarView bar={{ ...bar, to }} scale={scale} isSelected={false} />
          </span>
          <BarView bar={{ ...bar, to: halfAt }} scale={scale} isSelected={false} />
          {look !== 'failed' &&
            failures.map((failure) => (
              <BarView key={failure.position} bar={failure} scale={scale} isSelected={false} />
            ))}
        </Plot>
        <End isFailed={failures.length > 0}>{label}</End>
      </>
    )
  },
)

const End = ({ isFailed = false, children }: { readonly isFailed?: boolean; readonly children?: string }) => (
  <span
    role="gridcell"
    title={children}
    className={classNames('tabular text-2xs leading-[26px]', END_CLASS, isFailed ? 'text-failed' : 'text-soft')}
  >
    {children}
  </span>
)

/** In percent, a little out of view for what is not in it. */
const leftOf = ({ axis, view }: Scale, time: number): number =>
  Math.min(Math.max(percentOf(view, toUnit(axis, time)), -1), 101)

const BarView = ({
  bar,
  scale,
  isSelected,
}: {
  readonly bar: Bar
  readonly scale: Scale
  readonly isSelected: boolean
}) => {
  const left = leftOf(scale, bar.from)
  const right = leftOf(scale, bar.to)
  if (right < 0 || left > 100) return null
  return (
    <span
      title={withEscapes(bar.title)}
      data-position={bar.position}
      className={classNames(
        'absolute top-1/2 min-w-0.5 -translate-y-1/2',
        BAR_CLASSES[bar.look],
        isSelected && 'outline-2 outline-offset-1 outline-accent',
      )}
      style={{ left: `${left}%`, width: `${Math.max(0, right - left)}%` }}
    />
  )
}

export const LaneCells = memo(
  ({ lane, status, scale, selected }: RowProps & { readonly lane: Lane; readonly status: ExecutionStatus }) => {
    const Icon = LANE_ICONS[lane.name]
    const marks = marksOf(lane.lines, scale.axis, scale.view, { widthPx: scale.widthPx, apartPx: APART_PX[lane.name] })
    return (
      <>
        <Name icon={<Icon size={13} />}>{lane.label}</Name>
        <Plot words={lane.name === 'execution' ? status : plural(lane.lines.length, 'entry', 'entries')}>
          {lane.name === 'execution' && <Whole status={status} scale={scale} />}
          {marks.map((mark) => (
            <MarkView key={mark.first.position} lane={lane.name} mark={mark} selected={selected} />
          ))}
        </Plot>
        <End />
      </>
    )
  },
)

const APART_PX: Readonly<Record<MomentKind, number>> = { execution: 9, events: 12, logs: 6 }

const STATUS_CLASSES: Readonly<Record<ExecutionStatus, string>> = {
  queued: 'bg-queued-fill',
  running: 'bg-running-fill',
  waiting: 'bg-waiting-fill',
  cancelling: 'bg-cancelled-fill',
  completed: 'bg-completed-fill',
  failed: 'bg-failed-fill',
  cancelled: 'bg-cancelled-fill',
}

const Whole = ({ status, scale }: { readonly status: ExecutionStatus; readonly scale: Scale }) => {
  const left = Math.max(percentOf(scale.view, 0), -1)
  const right = Math.min(percentOf(scale.view, toUnit(scale.axis, scale.now)), 101)
  return (
    <span
      className={classNames('absolute top-1/2 h-2 -translate-y-1/2 rounded-sm opacity-45', STATUS_CLASSES[status])}
      style={{ left: `${left}%`, width: `${Math.max(0, right - left)}%` }}
    />
  )
}

const LEVEL_CLASSES = {
  debug: 'bg-cancelled-fill',
  info: 'bg-queued-fill',
  warn: 'bg-waiting-fill',
  error: 'bg-failed-fill',
} as const

const MarkView = ({
  lane,
  mark,
  selected,
}: {
  readonly lane: MomentKind
  readonly mark: Mark
  readonly selected: number | undefined
}) => {
  const { first, level, percent } = mark
  const said = [first.name, first.level, first.summary].filter((part) => part !== undefined && part !== '').join(' ')
  return (
    <span
      data-position={first.position}
      title={
        mark.count === 1
          ? withEscapes(`#${first.position} ${said === '' ? first.type : said}`)
          : `${mark.count} from #${first.position} on`
      }
      className={classNames(
        'absolute top-1/2 -translate-x-1/2 -translate-y-1/2',
        lane === 'logs' &&
          classNames('w-1 rounded-xs', mark.count > 1 ? 'h-4' : 'h-2.5', LEVEL_CLASSES[level ?? 'info']),
        lane === 'events' && 'size-2.5 rotate-45 rounded-xs border border-page bg-running-fill',
        lane === 'execution' && 'size-2 rounded-full border border-page bg-ink',
        first.position === selected && 'outline-2 outline-offset-1 outline-accent',
      )}
      style={{ left: `${percent}%` }}
    />
  )
}

const Name = ({
  icon,
  number,
  isIndented = false,
  children,
}: {
  readonly icon: ReactNode
  readonly number?: number
  readonly isIndented?: boolean
  readonly children: ReactNode
}) => (
  <span
    role="rowheader"
    className={classNames('flex items-center gap-2 pr-3', isIndented ? 'pl-9' : 'pl-5', NAME_CLASS)}
  >
    <span className="flex shrink-0 text-faint">{icon}</span>
    <span dir="auto" className="min-w-0 flex-1 truncate text-left">
      {visible(children)}
    </span>
    {number !== undefined && <span className="tabular font-mono text-2xs text-faint">{number}</span>}
  </span>
)

/** `words` describes the drawing. */
const Plot = ({ words, children }: { readonly words: string; readonly children: ReactNode }) => (
  <span role="gridcell" className="relative block h-full flex-1 overflow-clip [overflow-clip-margin:6px]">
    <span className="sr-only">{words}</span>
    <span aria-hidden="true" className="forced-color-adjust-none">
      {children}
    </span>
  </span>
)
