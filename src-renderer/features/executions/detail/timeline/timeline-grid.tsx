import { useVirtualizer } from '@tanstack/react-virtual'
import {
  type KeyboardEvent,
  type MouseEvent,
  type ReactNode,
  type RefObject,
  useEffect,
  useEffectEvent,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
} from 'react'
import type { ExecutionStatus } from '#sdk/index.ts'
import { SHORTCUTS } from '../../../../parts/shortcuts.ts'
import { classNames } from '../../../../ui/class-names.ts'
import type { JournalView } from '../journal/journal-query.ts'
import { useStepKeys } from '../use-step-keys.ts'
import { toTime } from './axis.ts'
import { Backdrop, NowLine, Ruler } from './ruler.tsx'
import { CommandCells, END_CLASS, GroupCells, LaneCells, NAME_CLASS, ROW_PX } from './timeline-rows.tsx'
import { useBrush } from './use-brush.ts'
import type { ScaleControl } from './use-scale.ts'
import { useWheel } from './use-wheel.ts'
import type { Zoom } from './zoom.ts'
import {
  commandRows,
  commandsBetween,
  entryAfter,
  firstOf,
  lanesOf,
  positionOfRow,
  rowOfEntry,
  type TimelineRows,
} from './walk-rows.ts'

export type TimelineGridProps = {
  readonly view: JournalView
  readonly control: ScaleControl
  readonly zoom: Zoom
  readonly status: ExecutionStatus
  readonly isLive: boolean
  readonly entry: number | undefined
  readonly onSelect: (position: number) => void
  /** Measures the plot. */
  readonly plot: RefObject<HTMLElement | null>
}

const RULER_PX = 26
const ZOOM_STEP = 1.6

export const TimelineGrid = (props: TimelineGridProps) => {
  const { view, control, zoom, status, isLive, entry, onSelect, plot } = props
  const scroll = useRef<HTMLDivElement>(null)
  const [openGroups, setOpenGroups] = useState<ReadonlySet<number>>(new Set())
  const rows = useRows(view, control, openGroups)
  const { lanes, rows: below } = rows
  const headPx = RULER_PX + lanes.length * ROW_PX
  // oxlint-disable-next-line react/incompatible-library -- nothing that it answers is memoized here
  const virtualizer = useVirtualizer({
    count: below.length,
    getScrollElement: () => scroll.current,
    estimateSize: () => ROW_PX,
    overscan: 8,
    paddingStart: headPx,
    scrollPaddingStart: headPx,
    paddingEnd: 8,
    getItemKey: (index) => `${below[index]!.kind} ${firstOf(below[index]!).number}`,
    anchorTo: isLive && view.journal.isWhole() ? 'end' : 'start',
    followOnAppend: true,
  })
  const noteScroll = useStayAtTop(scroll, headPx)
  const items = virtualizer.getVirtualItems()
  const selected = rowOfEntry(rows, entry)
  const isDrawn =
    selected >= 0 && (selected < lanes.length || items.some((item) => item.index + lanes.length === selected))
  const showSelected = useEffectEvent(() => {
    if (selected >= lanes.length) virtualizer.scrollToIndex(selected - lanes.length, { align: 'auto' })
  })
  useEffect(() => showSelected(), [selected])

  const { brush, handlers } = usePlotGestures(scroll, plot, zoom)
  const toggle = (group: number) =>
    setOpenGroups((before) =>
      before.has(group) ? new Set([...before].filter((one) => one !== group)) : before.union(new Set([group])),
    )
  const toggleSelected = () => {
    const group = groupOfRow(rows, selected)
    if (group !== undefined) toggle(group)
  }
  const onKeyDown = useTimelineKeys({ scroll, rows, entry, onSelect, zoom, toggleSelected }, () =>
    Math.max(1, Math.floor(((scroll.current?.clientHeight ?? 0) - headPx) / ROW_PX) - 1),
  )
  const onClick = (event: MouseEvent) => {
    const group = (event.target as Element).closest<HTMLElement>('[data-group]')?.dataset['group']
    if (group !== undefined) return toggle(Number(group))
    const position = (event.target as Element).closest<HTMLElement>('[data-position]')?.dataset['position']
    return position === undefined ? undefined : onSelect(Number(position))
  }
  const row = (index: number, cells: ReactNode, top?: number) => (
    <div
      key={index}
      id={`timeline-row-${index}`}
      role="row"
      data-position={positionOfRow(rows, index)}
      aria-rowindex={index + 2}
      aria-selected={index === selected}
      className={classNames(
        'flex',
        index === selected ? 'bg-selected' : 'hover:bg-hover',
        top !== undefined && 'absolute inset-x-0 top-0',
      )}
      style={{ height: ROW_PX, ...(top !== undefined && { transform: `translateY(${top}px)` }) }}
    >
      {cells}
    </div>
  )

  return (
    <div
      ref={scroll}
      role="grid"
      aria-label="Timeline"
      aria-rowcount={1 + lanes.length + below.length}
      aria-activedescendant={isDrawn ? `timeline-row-${selected}` : undefined}
      tabIndex={0}
      onKeyDown={onKeyDown}
      onClick={onClick}
      onScroll={noteScroll}
      {...handlers}
      className="clear-of-notice relative min-h-0 flex-1 touch-pan-y overflow-x-hidden overflow-y-auto select-none focus-visible:outline-offset-[-2px]"
    >
      <div className="relative min-h-full" style={{ height: virtualizer.getTotalSize() }}>
        <div className="absolute inset-y-0 right-(--ends) left-(--names) forced-color-adjust-none">
          <Backdrop scale={control.still} />
          {isLive && <NowLine scale={control.scale} />}
        </div>
        <div role="rowgroup" className="sticky top-0 z-10 border-b border-line bg-page">
          <div role="row" aria-rowindex={1} className="flex bg-sunken" style={{ height: RULER_PX }}>
            <span role="columnheader" className={classNames('pl-5 text-xs leading-6 text-faint', NAME_CLASS)}>
              Command
            </span>
            <span ref={plot} role="columnheader" className="relative flex-1">
              <span className="sr-only">Time since start</span>
              <Ruler scale={control.scale} />
            </span>
            <span role="columnheader" className={classNames('text-xs leading-6 text-faint', END_CLASS)}>
              Duration
            </span>
          </div>
          {lanes.map((lane, index) => {
            const scale = lane.name === 'execution' ? control.scale : control.still
            return row(index, <LaneCells lane={lane} status={status} scale={scale} selected={entry} />)
          })}
        </div>
        <div role="rowgroup">
          {items.map((item) => {
            const one = below[item.index]!
            const commands = one.kind === 'group' ? one.commands : [one.command]
            const scale = commands.some(({ outcome }) => outcome === 'open') ? control.scale : control.still
            const cells =
              one.kind === 'group' ? (
                <GroupCells commands={commands} isOpen={one.isOpen} scale={scale} />
              ) : (
                <CommandCells command={one.command} isMember={one.isMember} scale={scale} selected={entry} />
              )
            return row(lanes.length + item.index, cells, item.start)
          })}
        </div>
        {brush !== undefined && (
          <div aria-hidden="true" className="pointer-events-none absolute inset-y-0 right-(--ends) left-(--names) z-20">
            <span
              className="absolute inset-y-0 border-x border-accent bg-accent/15"
              style={{ left: `${brush.from * 100}%`, width: `${(brush.to - brush.from) * 100}%` }}
            />
          </div>
        )}
      </div>
    </div>
  )
}

/** A zoomed view shows only the commands in view, because thousands may precede them. */
const useRows = (
  { journal, version }: JournalView,
  { still, isFit }: ScaleControl,
  openGroups: ReadonlySet<number>,
): TimelineRows =>
  useMemo(() => {
    const { axis, view } = still
    const { commands } = journal
    const shown = isFit ? commands : commandsBetween(commands, toTime(axis, view.from), toTime(axis, view.to))
    return { journal, lanes: lanesOf(journal), rows: commandRows(shown, openGroups) }
    // oxlint-disable-next-line react/exhaustive-deps -- the journal is changed in place; its version says when
  }, [journal, version, still, isFit, openGroups])

/** Keeps the scroll position when a lane appears above the commands. Returns the scroll handler. */
const useStayAtTop = (scroll: RefObject<HTMLElement | null>, headPx: number): (() => void) => {
  const isAtTop = useRef(true)
  useLayoutEffect(() => {
    if (isAtTop.current) scroll.current?.scrollTo({ top: 0 })
  }, [scroll, headPx])
  return () => {
    isAtTop.current = (scroll.current?.scrollTop ?? 0) < ROW_PX / 2
  }
}

const groupOfRow = ({ lanes, rows }: TimelineRows, index: number): number | undefined => {
  const row = rows[index - lanes.length]
  if (row?.kind === 'group') return firstOf(row).number
  if (row?.isMember !== true) return undefined
  const group = rows.slice(0, index - lanes.length).findLast((one) => one.kind === 'group')
  return group === undefined ? undefined : firstOf(group).number
}

/** Dragging selects a range; the wheel zooms with Ctrl and pans sideways. */
const usePlotGestures = (scroll: RefObject<HTMLElement | null>, plot: RefObject<HTMLElement | null>, zoom: Zoom) => {
  const shareAt = (clientX: number): number | undefined => {
    const box = plot.current?.getBoundingClientRect()
    if (box === undefined || clientX < box.left - 4) return undefined
    return Math.min(Math.max((clientX - box.left) / box.width, 0), 1)
  }
  useWheel(scroll, (event) => {
    if (event.ctrlKey || event.metaKey) zoom.by(2 ** (-event.deltaY / 240), shareAt(event.clientX))
    else if (event.deltaX !== 0) zoom.pan(event.deltaX / (plot.current?.clientWidth ?? 1))
    else return false
    return true
  })
  return useBrush({ shareAt, onBrushed: ({ from, to }) => zoom.toShares(from, to) })
}

/** `pageRows` is the number of rows in view. */
const useTimelineKeys = (
  {
    scroll,
    rows,
    entry,
    onSelect,
    zoom,
    toggleSelected,
  }: {
    readonly scroll: RefObject<HTMLElement | null>
    readonly rows: TimelineRows
    readonly toggleSelected: () => void
  } & Pick<TimelineGridProps, 'entry' | 'onSelect' | 'zoom'>,
  pageRows: () => number,
) => {
  const walk = (key: string): boolean => {
    const next = entryAfter(key, rows, entry, pageRows())
    if (next !== undefined) onSelect(next)
    return next !== undefined
  }
  useStepKeys(scroll, walk)
  const act = (key: string, isShifted: boolean): boolean => {
    if (key === SHORTCUTS.zoomIn.keys || key === '=') zoom.by(ZOOM_STEP)
    else if (key === SHORTCUTS.zoomOut.keys) zoom.by(1 / ZOOM_STEP)
    else if (key === SHORTCUTS.zoomAll.keys) zoom.toAll()
    else if (key === SHORTCUTS.zoomSelected.keys) zoom.toSelected?.()
    else if (key === 'Enter') toggleSelected()
    else if (isShifted && key === 'ArrowRight') zoom.pan(0.2)
    else if (isShifted && key === 'ArrowLeft') zoom.pan(-0.2)
    else return walk(key)
    return true
  }
  return (event: KeyboardEvent) => {
    if (event.altKey || event.ctrlKey || event.metaKey) return
    if (act(event.key, event.shiftKey)) event.preventDefault()
  }
}
