import { useMemo, useRef } from 'react'
import type { JournalView } from '../journal/journal-query.ts'
import { FILL_CLASSES } from './looks.ts'
import { overviewRuns } from './overview-cells.ts'
import { useBrush } from './use-brush.ts'
import type { Scale, ScaleControl } from './use-scale.ts'
import type { Viewport } from './viewport.ts'

const ROWS = 36
const CELL_PX = 2

/** A miniature of the timeline that marks the part in view. Dragging selects a part; a click moves there. */
export const Overview = ({ view, control }: { readonly view: JournalView; readonly control: ScaleControl }) => {
  const { scale, setView } = control
  const { axis } = scale
  const columns = Math.max(1, Math.floor(scale.widthPx / CELL_PX))
  const paths = useMemo(
    () => pathsOf(view, scale, columns),
    // oxlint-disable-next-line react/exhaustive-deps -- the journal is changed in place; its version says when
    [view.journal, view.version, axis, scale.now, columns],
  )
  const strip = useRef<HTMLDivElement>(null)
  const { brush, handlers } = useBrush({
    shareAt: (clientX) => {
      const box = strip.current?.getBoundingClientRect()
      return box === undefined ? undefined : Math.min(Math.max((clientX - box.left) / box.width, 0), 1)
    },
    onBrushed: ({ from, to }) => setView({ from: from * axis.length, to: to * axis.length }),
    onPressed: (share) => {
      const width = scale.view.to - scale.view.from
      const at = share * axis.length
      if (!control.isFit) setView({ from: at - width / 2, to: at + width / 2 })
    },
  })
  return (
    <div className="relative ml-(--names) border-b border-line py-1 pr-(--ends)">
      <div
        ref={strip}
        role="img"
        aria-label="Overview of the timeline"
        className="relative h-9 cursor-crosshair touch-none overflow-hidden rounded-sm bg-sunken"
        {...handlers}
      >
        <svg
          viewBox={`0 0 ${columns} ${ROWS}`}
          preserveAspectRatio="none"
          aria-hidden="true"
          className="block size-full"
        >
          {paths.map(([look, d]) => (
            <path key={look} d={d} className={FILL_CLASSES[look]} />
          ))}
        </svg>
        {!control.isFit && <Window view={scale.view} length={axis.length} />}
        {brush !== undefined && (
          <span
            className="absolute inset-y-0 border-x border-accent bg-accent/20"
            style={{ left: `${brush.from * 100}%`, width: `${(brush.to - brush.from) * 100}%` }}
          />
        )}
      </div>
    </div>
  )
}

/** Dims what is out of view. */
const Window = ({ view, length }: { readonly view: Viewport; readonly length: number }) => (
  <>
    <span className="absolute inset-y-0 left-0 bg-page/70" style={{ width: `${(view.from / length) * 100}%` }} />
    <span className="absolute inset-y-0 right-0 bg-page/70" style={{ width: `${(1 - view.to / length) * 100}%` }} />
    <span
      className="absolute inset-y-0 min-w-0.5 border-x-2 border-accent"
      style={{ left: `${(view.from / length) * 100}%`, width: `${((view.to - view.from) / length) * 100}%` }}
    />
  </>
)

const pathsOf = ({ journal }: JournalView, { axis, now }: Scale, columns: number) => {
  const rows = Math.max(1, Math.min(ROWS, journal.commands.length))
  const height = ROWS / Math.max(rows, 8)
  const runs = overviewRuns(journal.commands, axis, now, { columns, rows })
  const byLook = Map.groupBy(runs, (run) => run.look)
  return [...byLook].map(
    ([look, some]) =>
      [
        look,
        some.map((run) => `M${run.x} ${run.y * height}h${run.width}v${height * 0.8}h${-run.width}z`).join(''),
      ] as const,
  )
}
