import { useVirtualizer } from '@tanstack/react-virtual'
import {
  type KeyboardEvent,
  type MouseEvent,
  type ReactNode,
  type RefObject,
  useEffect,
  useEffectEvent,
  useMemo,
  useRef,
} from 'react'
import type { ExecutionStatus } from '#sdk/index.ts'
import { useShortcut } from '../../../../parts/shortcuts.ts'
import { classNames } from '../../../../ui/class-names.ts'
import type { JournalView } from '../journal/journal-query.ts'
import { Backdrop, Ruler } from './ruler.tsx'
import { CommandCells, LaneCells, NAME_CLASS, ROW_PX } from './timeline-rows.tsx'
import { useBrush } from './use-brush.ts'
import type { ScaleControl } from './use-scale.ts'
import { moved, unitAt, zoomed } from './viewport.ts'
import { entryAfter, lanesOf, rowOfEntry } from './walk-rows.ts'

export type TimelineGridProps = {
  readonly view: JournalView
  readonly control: ScaleControl
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
  const { view, control, status, isLive, entry, onSelect, plot } = props
  const { journal, version } = view
  const { scale, setView } = control
  const scroll = useRef<HTMLDivElement>(null)
  const lanes = useMemo(
    () => lanesOf(journal),
    // oxlint-disable-next-line react/exhaustive-deps -- the journal is changed in place; its version says when
    [journal, version],
  )
  const headPx = RULER_PX + lanes.length * ROW_PX
  const virtualizer = useVirtualizer({
    count: journal.commands.length,
    getScrollElement: () => scroll.current,
    estimateSize: () => ROW_PX,
    overscan: 8,
    paddingStart: headPx,
    scrollPaddingStart: headPx,
    paddingEnd: 8,
  })
  const selected = rowOfEntry(journal, lanes, entry)

  const showSelected = useEffectEvent(() => {
    if (selected >= lanes.length) virtualizer.scrollToIndex(selected - lanes.length, { align: 'auto' })
  })
  useEffect(() => showSelected(), [selected])

  const shareAt = (clientX: number): number | undefined => {
    const box = plot.current?.getBoundingClientRect()
    if (box === undefined || clientX < box.left - 4) return undefined
    return Math.min(Math.max((clientX - box.left) / box.width, 0), 1)
  }
  const zoom = (factor: number, share = 0.5) =>
    setView(zoomed(scale.view, factor, unitAt(scale.view, share), scale.axis.length))
  const { brush, handlers } = useBrush({
    shareAt,
    onBrushed: ({ from, to }) => setView({ from: unitAt(scale.view, from), to: unitAt(scale.view, to) }),
  })
  useWheel(scroll, (event) => {
    if (event.ctrlKey || event.metaKey) zoom(2 ** (-event.deltaY / 240), shareAt(event.clientX) ?? 0.5)
    else if (event.deltaX !== 0 && !control.isFit)
      setView(moved(scale.view, event.deltaX / scale.widthPx, scale.axis.length))
    else return false
    return true
  })

  const walk = (key: string): boolean => {
    const page = Math.max(1, Math.floor(((scroll.current?.clientHeight ?? 0) - headPx) / ROW_PX) - 1)
    const next = entryAfter(key, journal, lanes, entry, page)
    if (next !== undefined) onSelect(next)
    return next !== undefined
  }
  const act = (key: string, isShifted: boolean): boolean => {
    if (key === '+' || key === '=') zoom(ZOOM_STEP)
    else if (key === '-') zoom(1 / ZOOM_STEP)
    else if (key === '0') setView(undefined)
    else if (isShifted && (key === 'ArrowLeft' || key === 'ArrowRight')) {
      setView(control.isFit ? undefined : moved(scale.view, key === 'ArrowRight' ? 0.2 : -0.2, scale.axis.length))
    } else return walk(key)
    return true
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.altKey || event.ctrlKey || event.metaKey) return
    if (act(event.key, event.shiftKey)) event.preventDefault()
  }
  const onClick = (event: MouseEvent) => {
    const position = (event.target as Element).closest<HTMLElement>('[data-position]')?.dataset['position']
    if (position !== undefined) onSelect(Number(position))
  }
  useShortcut('next', () => void walk('ArrowDown'))
  useShortcut('previous', () => void walk('ArrowUp'))

  const row = (index: number, cells: ReactNode, className: string, top?: number) => (
    <div
      key={index}
      id={`timeline-row-${index}`}
      role="row"
      data-position={
        index < lanes.length ? lanes[index]!.lines[0]?.position : journal.commands[index - lanes.length]?.position
      }
      aria-rowindex={index + 2}
      aria-selected={index === selected}
      className={classNames('flex', index === selected ? 'bg-selected' : 'hover:bg-hover', className)}
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
      aria-rowcount={1 + lanes.length + journal.commands.length}
      aria-activedescendant={selected < 0 ? undefined : `timeline-row-${selected}`}
      tabIndex={0}
      onKeyDown={onKeyDown}
      onClick={onClick}
      {...handlers}
      className="relative min-h-0 flex-1 touch-pan-y overflow-x-hidden overflow-y-auto select-none focus-visible:outline-offset-[-2px]"
    >
      <div className="relative min-h-full" style={{ height: virtualizer.getTotalSize() }}>
        <div className="absolute inset-y-0 right-4 left-60">
          <Backdrop scale={scale} isLive={isLive} />
        </div>
        <div role="rowgroup" className="sticky top-0 z-10 border-b border-line bg-page">
          <div role="row" aria-rowindex={1} className="flex bg-sunken" style={{ height: RULER_PX }}>
            <span role="columnheader" className={classNames('pl-5 text-xs leading-6 text-faint', NAME_CLASS)}>
              Command
            </span>
            <span ref={plot} role="columnheader" aria-label="Time since the start" className="relative mr-4 flex-1">
              <Ruler scale={scale} />
            </span>
          </div>
          {lanes.map((lane, index) =>
            row(index, <LaneCells lane={lane} status={status} scale={scale} selected={entry} />, ''),
          )}
        </div>
        <div role="rowgroup">
          {virtualizer.getVirtualItems().map((item) => {
            const command = journal.commands[item.index]!
            const isOpen = command.outcome === 'open'
            return row(
              lanes.length + item.index,
              <CommandCells command={command} scale={isOpen ? scale : control.still} selected={entry} />,
              'absolute inset-x-0 top-0',
              item.start,
            )
          })}
        </div>
        {brush !== undefined && (
          <div aria-hidden="true" className="pointer-events-none absolute inset-y-0 right-4 left-60 z-20">
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

/** `act` answers whether it took the turn of the wheel, which then does not scroll: React's own listener cannot do that. */
const useWheel = (element: RefObject<HTMLElement | null>, act: (event: WheelEvent) => boolean) => {
  const onWheel = useEffectEvent((event: WheelEvent) => {
    if (act(event)) event.preventDefault()
  })
  useEffect(() => {
    const target = element.current
    const listen = (event: WheelEvent) => onWheel(event)
    target?.addEventListener('wheel', listen, { passive: false })
    return () => target?.removeEventListener('wheel', listen)
  }, [element])
}
