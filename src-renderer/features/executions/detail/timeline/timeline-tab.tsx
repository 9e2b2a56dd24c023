import { Focus, FoldHorizontal, Maximize, ZoomIn, ZoomOut } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import { Toggle } from '@base-ui/react/toggle'
import { plural } from '../../../../parts/format.ts'
import { SHORTCUTS } from '../../../../parts/shortcuts.ts'
import { classNames } from '../../../../ui/class-names.ts'
import { EmptyState } from '../../../../ui/empty-state.tsx'
import { IconButton } from '../../../../ui/button.tsx'
import { Hint } from '../../../../ui/hint.tsx'
import type { JournalView } from '../journal/journal-query.ts'
import type { JournalTabProps } from '../journal/tab-props.ts'
import { JournalState } from '../journal/journal-state.tsx'
import type { BarLook } from './bars.ts'
import { BAR_CLASSES } from './looks.ts'
import { Overview } from './overview.tsx'
import { TimelineGrid } from './timeline-grid.tsx'
import { type ScaleControl, useScale } from './use-scale.ts'
import { type Zoom, zoomOf } from './zoom.ts'

export const TimelineTab = ({ execution, view, isLive, entry, onSelect }: JournalTabProps) => {
  const plot = useRef<HTMLElement>(null)
  const [widthPx, setWidthPx] = useState(600)
  const isEmpty = view.journal.lines.length === 0
  useEffect(() => {
    if (plot.current === null) return undefined
    const observer = new ResizeObserver(([seen]) => seen !== undefined && setWidthPx(seen.contentRect.width))
    observer.observe(plot.current)
    return () => observer.disconnect()
  }, [isEmpty])
  const control = useScale(view, isLive, widthPx)
  const zoom = zoomOf(control, view.journal, entry)

  if (isEmpty) {
    return <EmptyState title="Nothing has happened yet">It starts as soon as there is capacity.</EmptyState>
  }
  return (
    <div className="@container flex min-h-0 flex-1 flex-col">
      <div className="flex min-h-0 flex-1 flex-col [--ends:6rem] [--names:8rem] @xl:[--ends:7rem] @xl:[--names:11rem] @3xl:[--ends:14rem] @3xl:[--names:15rem]">
        <Toolbar view={view} control={control} zoom={zoom} isLive={isLive} />
        <Overview view={view} control={control} />
        <TimelineGrid
          view={view}
          control={control}
          zoom={zoom}
          status={execution.status}
          isLive={isLive}
          entry={entry}
          onSelect={onSelect}
          plot={plot}
        />
      </div>
    </div>
  )
}

const Toolbar = ({
  view,
  control,
  zoom,
  isLive,
}: {
  readonly view: JournalView
  readonly control: ScaleControl
  readonly zoom: Zoom
  readonly isLive: boolean
}) => {
  const { scale } = control
  const hasBreaks = scale.axis.stretches.some((stretch) => stretch.isBreak)
  return (
    <div className="flex flex-wrap items-center gap-x-4 gap-y-1 border-b border-line px-5 py-1">
      <div role="group" aria-label="Zoom" className="-ml-1.5 flex items-center">
        <IconButton label={nameOf(SHORTCUTS.zoomIn)} onClick={() => zoom.by(2)}>
          <ZoomIn size={15} />
        </IconButton>
        <IconButton label={nameOf(SHORTCUTS.zoomOut)} onClick={() => zoom.by(0.5)}>
          <ZoomOut size={15} />
        </IconButton>
        <IconButton
          label={nameOf(SHORTCUTS.zoomSelected)}
          onClick={zoom.toSelected}
          disabledReason={zoom.toSelected === undefined ? 'Select something first' : undefined}
        >
          <Focus size={15} />
        </IconButton>
        <IconButton label={nameOf(SHORTCUTS.zoomAll)} onClick={zoom.toAll}>
          <Maximize size={15} />
        </IconButton>
      </div>
      {(hasBreaks || !control.collapses) && (
        <Hint text="Shortens long waits and shows their length">
          <Toggle
            pressed={control.collapses}
            onPressedChange={control.setCollapses}
            className="flex h-6 items-center gap-1.5 rounded-md border border-line px-2 text-xs text-soft hover:bg-hover data-pressed:border-accent data-pressed:bg-selected data-pressed:text-ink"
          >
            <FoldHorizontal size={13} />
            Collapse long waits
          </Toggle>
        </Hint>
      )}
      <span className="tabular text-xs text-faint">{plural(view.journal.commands.length, 'command')}</span>
      <div className="ml-auto flex items-center gap-4 max-sm:w-full">
        <JournalState view={view} isLive={isLive} />
        <Legend />
      </div>
    </div>
  )
}

const nameOf = ({ does, shown }: (typeof SHORTCUTS)[keyof typeof SHORTCUTS]): string => `${does} (${shown})`

const LEGEND: readonly (readonly [BarLook, string])[] = [
  ['running', 'running'],
  ['completed', 'completed'],
  ['failed', 'failed'],
  ['waiting', 'waiting'],
  ['backing-off', 'backing off'],
]

const Legend = () => (
  <ul aria-label="Legend" className="hidden items-center gap-3 text-2xs text-faint @3xl:flex">
    {LEGEND.map(([look, label]) => (
      <li key={look} className="flex items-center gap-1">
        <span aria-hidden="true" className={classNames('w-4 forced-color-adjust-none', BAR_CLASSES[look])} />
        {label}
      </li>
    ))}
  </ul>
)
