// The list as a grid: as many rows as there are Executions, of which only those in sight exist. What is done with the
// rows that are chosen is not its affair.

import { useTable } from '@tanstack/react-table'
import { defaultRangeExtractor, type Range, useVirtualizer } from '@tanstack/react-virtual'
import { type CSSProperties, type ReactNode, useCallback, useLayoutEffect, useMemo, useRef } from 'react'
import type { ExecutionPage, ListedExecution, Place } from '../../../api/executions-query.ts'
import { failureOf } from '../../../api/failures.ts'
import { Button } from '../../../ui/button.tsx'
import { classNames } from '../../../ui/class-names.ts'
import { type ColumnId, COLUMNS, features, visibleAt } from './columns.tsx'
import { type Extent, pagesFor, placeOf, rowAt, rowCount } from './extent.ts'
import { GridHeader, HEADER_PX } from './grid-header.tsx'
import { NewsPill } from './news-pill.tsx'
import { RowMenu } from './row-actions.tsx'
import { useRowKeys } from './row-keys.ts'
import { PlaceholderRow, Row, ROW_PX, type RowActs } from './row.tsx'
import type { ListFilter } from './search-filter.ts'
import { isSelected } from './selection.ts'
import { type FirstPage, usePages } from './use-list.ts'
import { useLiveList } from './use-live-list.ts'
import { useRovingRow, useRovingState } from './use-roving-row.ts'
import { useRowPointer } from './use-row-pointer.ts'
import { useScrollMemory } from './use-scroll-memory.ts'
import type { SelectionState } from './use-selection.ts'

export type GridProps = {
  readonly place: Place
  readonly filter: ListFilter
  readonly extent: Extent
  readonly first: FirstPage
  /** What the service counted. */
  readonly total: number | undefined
  readonly hidden: readonly ColumnId[]
  readonly selection: SelectionState
  readonly onFilter: ((filter: ListFilter) => void) | undefined
  /** What stands in place of the rows, if anything does. */
  readonly instead: ReactNode
}

const SELECT_TRACK = '2.25rem'
const ACTIONS_TRACK = '2.5rem'

export const Grid = (props: GridProps) => {
  const { place, filter, extent, first, total, hidden, selection, onFilter, instead } = props
  const scroller = useRef<HTMLDivElement>(null)
  const body = useRef<HTMLDivElement>(null)
  const pointerIsOver = useRef(false)
  const [at, setAt] = useRovingState()

  const standIns = first.isPlaceholderData ? (first.data?.items.length ?? 0) : 0
  const count = Math.max(rowCount(extent, total), standIns)
  const memory = useScrollMemory(place, scroller)
  // oxlint-disable-next-line react/incompatible-library -- nothing is compiled here, and nothing memoized gets it
  const virtualizer = useVirtualizer<HTMLDivElement, HTMLDivElement>({
    count,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW_PX,
    overscan: 4,
    scrollMargin: HEADER_PX,
    scrollPaddingStart: HEADER_PX,
    initialOffset: memory.initialOffset,
    useFlushSync: false,
    // The row with the focus stays, wherever one scrolls.
    rangeExtractor: useCallback((one: Range) => withRow(defaultRangeExtractor(one), at?.row, one.count), [at?.row]),
  })
  const items = virtualizer.getVirtualItems()
  const range = { first: virtualizer.range?.startIndex ?? 0, last: virtualizer.range?.endIndex ?? 0 }
  const { pages, failed } = usePages(place, extent, first.data, range)
  const executionAt = (row: number | undefined) => (row === undefined ? undefined : rowAt(extent, pages, row))

  const pointer = useRowPointer(executionAt)
  const live = useLiveList(place, {
    isFree: () =>
      scroller.current === null ||
      (!pointerIsOver.current &&
        pointer.menu === null &&
        scroller.current.scrollTop < ROW_PX &&
        body.current?.querySelector(':focus-visible') === null),
    inSight: () => pagesFor(extent, range.first, range.last),
  })
  const roving = useRovingRow(at, setAt, {
    count,
    idAt: (row) => executionAt(row)?.id,
    rowOf: (id) => placeOf(extent, pages, id),
    body,
    scroller: virtualizer,
  })
  const onKeyDown = useRowKeys({ roving, selection, executionAt, count, range })
  const acts = useLatest({ came: roving.came, select: selection.select, openMenu: pointer.openMenu })

  const table = useTable({
    features,
    columns: COLUMNS,
    data: items.flatMap(({ index }) => executionAt(index) ?? []),
    getRowId: ({ id }) => id,
    state: { columnVisibility: visibleAt(virtualizer.scrollRect?.width ?? Number.POSITIVE_INFINITY, hidden) },
  })
  const rows = new Map(table.getRowModel().rows.map((row) => [row.id, row]))
  const tracks = table.getVisibleLeafColumns().map(({ columnDef }) => columnDef.meta?.track ?? '1fr')
  const columns = [SELECT_TRACK, ...tracks, ACTIONS_TRACK].join(' ')
  const entry = roving.row ?? range.first

  return (
    <div
      // Only a move says that somebody is here: a dialog may have closed above a pointer at rest.
      onPointerMove={() => (pointerIsOver.current = true)}
      onPointerLeave={() => {
        pointerIsOver.current = false
        live.settle()
      }}
      className="relative flex min-h-0 flex-1 flex-col"
    >
      <NewsPill
        news={live.news}
        onClick={() => {
          virtualizer.scrollToOffset(0)
          live.bringIn()
        }}
      />
      {instead ?? (
        <div
          ref={scroller}
          role="grid"
          aria-label="Executions"
          aria-rowcount={count + 1}
          aria-multiselectable="true"
          aria-busy={first.isFetching || undefined}
          tabIndex={-1}
          style={{ '--columns': columns } as CSSProperties}
          onScroll={(event) => {
            memory.note()
            if (event.currentTarget.scrollTop < ROW_PX) live.settle()
          }}
          onBlur={() => requestAnimationFrame(live.settle)}
          onKeyDown={onKeyDown}
          onClick={pointer.onClick}
          onContextMenu={pointer.onContextMenu}
          className={classNames(
            'min-h-0 flex-1 overflow-auto outline-none transition-opacity delay-200',
            first.isPlaceholderData && 'opacity-60',
          )}
        >
          <GridHeader table={table} selection={selection} />
          <div ref={body} role="rowgroup" style={{ height: virtualizer.getTotalSize() }} className="relative">
            {items.map(({ index, start }) => {
              const row = rows.get(executionAt(index)?.id ?? '')
              const top = start - HEADER_PX
              if (row === undefined) return <PlaceholderRow key={index} index={index} top={top} />
              return (
                <Row
                  key={row.id}
                  row={row}
                  index={index}
                  top={top}
                  active={index === entry}
                  selected={isSelected(selection.selection, row.id)}
                  fixed={selection.selection.kind === 'all'}
                  menuOpen={pointer.menu?.id === row.id}
                  columns={columns}
                  acts={acts}
                />
              )
            })}
          </div>
        </div>
      )}
      {failed !== undefined && (
        <div role="alert" className="flex items-center gap-3 border-t border-failed/40 bg-failed-wash px-4 py-1.5">
          <p className="min-w-0 flex-1 truncate">These rows could not be loaded: {failureOf(failed.error).message}</p>
          <Button onClick={failed.retry}>Try again</Button>
        </div>
      )}
      <RowMenu
        anchor={pointer.menu?.anchor ?? null}
        byKey={pointer.menu?.byKey === true}
        execution={pointer.menu === null ? undefined : executionIn(pages.values(), pointer.menu.id)}
        filter={filter}
        onFilter={onFilter}
        onClose={pointer.closeMenu}
      />
    </div>
  )
}

const withRow = (rows: number[], row: number | undefined, count: number): number[] => {
  if (row === undefined || row >= count || rows.includes(row)) return rows
  return [...rows, row].toSorted((one, other) => one - other)
}

const executionIn = (pages: Iterable<ExecutionPage>, id: string): ListedExecution | undefined => {
  for (const { items } of pages) {
    const found = items.find((one) => one.id === id)
    if (found !== undefined) return found
  }
  return undefined
}

/** Always the same object, whose functions do what those given last do: what gets them need not be drawn anew. */
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
