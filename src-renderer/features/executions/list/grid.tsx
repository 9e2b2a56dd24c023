// The list as a grid. The bar below it acts on the selected rows.

import { type CSSProperties, type ReactNode, useEffect, useLayoutEffect, useMemo, useRef } from 'react'
import type { Place } from '../../../api/executions-query.ts'
import { RowsFailed } from '../../../parts/rows-failed.tsx'
import type { Visit } from '../../../parts/visit.ts'
import { classNames } from '../../../ui/class-names.ts'
import type { ColumnId } from './columns.tsx'
import { type Extent, placeOf } from './extent.ts'
import { GridHeader, HEADER_PX } from './grid-header.tsx'
import { NewsPill } from './news-pill.tsx'
import { RowMenu } from './row-actions.tsx'
import { useRowKeys } from './row-keys.ts'
import { PlaceholderRow, Row, ROW_PX, type RowActs } from './row.tsx'
import { eachHasDetail } from './detail.ts'
import type { ListFilter } from './search-filter.ts'
import { isSelected } from './selection.ts'
import { useColumns } from './use-columns.ts'
import { type FirstPage, isOldCursor } from './use-list.ts'
import { useLiveList } from './use-live-list.ts'
import { useRunsOfFailed } from './use-runs-of-failed.ts'
import { useRowPointer } from './use-row-pointer.ts'
import { useRows } from './use-rows.ts'
import type { SelectionState } from './use-selection.ts'

export type GridProps = {
  readonly place: Place
  readonly visit: Visit
  readonly filter: ListFilter
  readonly extent: Extent
  readonly first: FirstPage
  /** What the service counted. */
  readonly total: number | undefined
  readonly hidden: readonly ColumnId[]
  readonly selection: SelectionState
  readonly onFilter: ((filter: ListFilter) => void) | undefined
  /** Shown instead of the rows, if given. */
  readonly instead: ReactNode
}

export const Grid = (props: GridProps) => {
  const { place, visit, filter, extent, first, total, hidden, selection, onFilter, instead } = props
  const rows = useRows(place, visit, extent, first, total)
  const { scroller, body, count, items, range, executionAt, roving } = rows
  const pointer = useRowPointer(executionAt, roving.came)
  const live = useLiveList(place, {
    isFree: () =>
      scroller.current === null ||
      (!pointer.isOver() &&
        pointer.menu === null &&
        scroller.current.scrollTop < ROW_PX &&
        body.current?.querySelector(':focus-visible') === null),
  })
  const { beginAnew } = live
  const isOld = rows.failed !== undefined && isOldCursor(rows.failed.error)
  useEffect(() => {
    if (isOld) beginAnew()
  }, [isOld, beginAnew])
  const onKeyDown = useRowKeys({ roving, selection, executionAt, count, range })
  const acts = useLatest({
    came: roving.came,
    select: (id, through) => {
      const row = placeOf(extent, rows.pages, id)
      if (row !== undefined) selection.select(row, id, through)
    },
    openMenu: pointer.openMenu,
  })
  const again = useRunsOfFailed(place, rows.pages)
  const shown = items.flatMap(({ index }) => executionAt(index) ?? [])
  const columns = useColumns(rows.widthPx, hidden, {
    isOfOneProgram: filter.programId !== undefined,
    hasDetails: eachHasDetail(filter),
  })
  const entry = roving.row ?? range.first
  const bringIn = () => {
    rows.toTop()
    live.bringIn()
  }

  return (
    <div
      // Only a move counts: a pointer that does not move may be over the rows because a dialog above them closed.
      onPointerMove={pointer.over}
      onPointerLeave={() => {
        pointer.left()
        live.settle()
      }}
      className="relative flex min-h-0 flex-1 flex-col"
    >
      <NewsPill news={live.news} onClick={bringIn} />
      {instead ?? (
        <div
          ref={scroller}
          role="grid"
          aria-label="Executions"
          aria-rowcount={count + 1}
          aria-multiselectable="true"
          aria-busy={first.isFetching || undefined}
          tabIndex={-1}
          style={{ '--columns': columns.tracks } as CSSProperties}
          onScroll={(event) => {
            rows.noteScroll()
            if (event.currentTarget.scrollTop < ROW_PX) live.settle()
          }}
          onBlur={() => requestAnimationFrame(live.settle)}
          onKeyDown={onKeyDown}
          onClick={pointer.onClick}
          onMouseDown={pointer.onMouseDown}
          onAuxClick={pointer.onAuxClick}
          onContextMenu={pointer.onContextMenu}
          className={classNames(
            'clear-of-notice min-h-0 flex-1 overflow-auto outline-none',
            first.isPlaceholderData && 'opacity-60 transition-opacity delay-200',
          )}
        >
          <GridHeader columns={columns.shown} selection={selection} />
          <div ref={body} role="rowgroup" style={{ height: rows.heightPx }} className="relative">
            {items.map(({ index, start }) => {
              const execution = executionAt(index)
              const top = start - HEADER_PX
              if (execution === undefined) return <PlaceholderRow key={index} index={index} top={top} />
              return (
                <Row
                  key={execution.id}
                  execution={execution}
                  again={again?.[execution.id]?.[0]?.status}
                  index={index}
                  top={top}
                  active={index === entry}
                  selected={isSelected(selection.selection, execution.id)}
                  fixed={selection.selection.kind === 'all'}
                  menuOpen={pointer.menu?.id === execution.id}
                  columns={columns.shown}
                  acts={acts}
                />
              )
            })}
          </div>
        </div>
      )}
      {rows.failed !== undefined && <RowsFailed {...rows.failed} />}
      <RowMenu
        anchor={pointer.menu?.anchor ?? null}
        byKey={pointer.menu?.byKey === true}
        execution={shown.find(({ id }) => id === pointer.menu?.id)}
        filter={filter}
        onFilter={onFilter}
        onClose={pointer.closeMenu}
      />
    </div>
  )
}

/** Always the same object, whose functions call those given last, so that its users need not render again. */
const useLatest = (acts: RowActs): RowActs => {
  const latest = useRef(acts)
  useLayoutEffect(() => {
    latest.current = acts
  })
  return useMemo(
    () => ({
      came: (...given) => latest.current.came(...given),
      select: (...given) => latest.current.select(...given),
      openMenu: (...given) => latest.current.openMenu(...given),
    }),
    [],
  )
}
