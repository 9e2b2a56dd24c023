import { Ban, CircleCheck, CircleX, Clock3, Flag, Inbox, MessageSquareText, Zap } from 'lucide-react'
import { memo } from 'react'
import type { HistoryEntryType } from '#sdk/index.ts'
import { useNow } from '../../../../parts/clock.ts'
import { type Tone, TONE_TEXT } from '../../../../ui/badge.tsx'
import { classNames } from '../../../../ui/class-names.ts'
import { EntryTime } from '../entry/entry-time.tsx'
import { toneOfEntry } from '../entry/entry-words.ts'
import type { Command, CommandOutcome } from '../journal/commands.ts'
import type { EntryLine } from '../journal/entry-line.ts'
import { outcomeText } from '../timeline/bars.ts'
import { type EntryKind, kindOf } from './history-rows.ts'
import { isolated, stringsIn } from '../../../../ui/isolated.tsx'
import { visible } from '../../../../ui/visible.tsx'

export const HISTORY_COLUMNS =
  'grid grid-cols-[2.5rem_6.5rem_11rem_minmax(9rem,1fr)] gap-x-4 group-data-narrow/grid:grid-cols-[2rem_6.5rem_minmax(0,1fr)] group-data-narrow/grid:gap-x-2 group-data-narrow/grid:content-center'

export const HistoryHeader = () => (
  <>
    <span role="columnheader" className="text-right">
      #
    </span>
    <span role="columnheader">Time</span>
    <span role="columnheader">Type</span>
    <span role="columnheader" className="group-data-narrow/grid:sr-only">
      Details
    </span>
  </>
)

const ICONS: Readonly<Record<EntryKind, typeof Zap>> = {
  execution: Flag,
  effect: Zap,
  timer: Clock3,
  wait: Inbox,
  event: Inbox,
  log: MessageSquareText,
}
const ICONS_OF_ENDS: Readonly<Partial<Record<HistoryEntryType, typeof Zap>>> = {
  execution_completed: CircleCheck,
  execution_failed: CircleX,
  execution_cancelled: Ban,
  effect_failed: CircleX,
  effect_attempt_failed: CircleX,
  cancel_requested: Ban,
}

type HistoryCellsProps = {
  readonly line: EntryLine
  /** The row also shows the command's outcome. */
  readonly command: Command | undefined
  readonly start: number
}

export const HistoryCells = memo(({ line, command, start }: HistoryCellsProps) => {
  const Icon = ICONS_OF_ENDS[line.type] ?? ICONS[kindOf(line.type)]
  return (
    <>
      <span role="gridcell" className="tabular text-right font-mono text-xs text-faint">
        {line.position}
      </span>
      <span role="gridcell">
        <EntryTime at={line.at} start={start} />
      </span>
      <span
        role="gridcell"
        className={classNames('flex min-w-0 items-center gap-1.5 font-mono text-xs', TONE_TEXT[toneOfEntry(line.type)])}
      >
        <Icon size={13} className="shrink-0" />
        <span className="truncate">{line.type}</span>
      </span>
      <span role="gridcell" className="flex min-w-0 items-baseline gap-2.5 group-data-narrow/grid:col-[2/-1]">
        {line.name !== undefined && (
          <span dir="auto" className="max-w-[60%] shrink-0 truncate font-medium">
            {visible(line.name)}
          </span>
        )}
        {line.attempt !== undefined && <span className="tabular shrink-0 text-faint">attempt {line.attempt}</span>}
        {command === undefined ? <Due line={line} start={start} /> : <Outcome command={command} />}
        {command === undefined && line.early === true && <span className="shrink-0 text-waiting">early</span>}
        {line.level !== undefined && <Level level={line.level} />}
        <span className="min-w-0 flex-1 truncate font-mono text-xs text-soft">{isolated(stringsIn(line.summary))}</span>
      </span>
    </>
  )
})

const DUE: Readonly<Partial<Record<HistoryEntryType, string>>> = {
  timer_scheduled: 'wakes at',
  wait_scheduled: 'times out at',
  effect_attempt_failed: 'next attempt at',
}

const Due = ({ line, start }: { readonly line: EntryLine; readonly start: number }) =>
  line.dueAt !== undefined && (
    <span className="shrink-0 text-faint">
      {DUE[line.type]} <EntryTime at={line.dueAt} start={start} />
    </span>
  )

const OUTCOMES: Readonly<Record<CommandOutcome, Tone>> = {
  open: 'waiting',
  completed: 'completed',
  fired: 'completed',
  delivered: 'completed',
  failed: 'failed',
  'timed out': 'cancelled',
  cancelled: 'cancelled',
  dropped: 'cancelled',
}

const Outcome = ({ command }: { readonly command: Command }) => (
  <span className={classNames('tabular min-w-0 truncate', TONE_TEXT[OUTCOMES[command.outcome]])}>
    {command.outcome === 'open' ? <StillOpen command={command} /> : outcomeText(command, 0)}
  </span>
)

/** A separate component, so that only the growing duration re-renders each second. */
const StillOpen = ({ command }: { readonly command: Command }) => outcomeText(command, useNow())

const LEVELS = { debug: 'text-faint', info: 'text-soft', warn: 'text-waiting', error: 'text-failed' } as const

const Level = ({ level }: { readonly level: NonNullable<EntryLine['level']> }) => (
  <span className={classNames('shrink-0 font-mono text-xs', LEVELS[level])}>{level}</span>
)
