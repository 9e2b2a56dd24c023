// A grid of thousands of rows of equal height; only rows in view are rendered. The grid itself has the focus and names
// the active row, so that rows may come and go while the user moves with the keys.

import { observeElementRect, useVirtualizer } from '@tanstack/react-virtual'
import {
  type KeyboardEvent,
  type MouseEvent,
  type ReactNode,
  useEffect,
  useEffectEvent,
  useId,
  useLayoutEffect,
  useRef,
  useState,
} from 'react'
import { classNames } from '../../../ui/class-names.ts'
import { indexAfter } from '../index-after.ts'
import { useStepKeys } from './use-step-keys.ts'

export type VirtualGridProps<Row> = {
  /** The accessible name. */
  readonly label: string
  readonly rows: readonly Row[]
  readonly rowKey: (row: Row) => number
  /** The index of the selected row; -1 for none. */
  readonly selected: number
  readonly onSelect: (row: Row) => void
  /** Cells with `role="columnheader"`. */
  readonly header: ReactNode
  /** Cells with `role="gridcell"`. */
  readonly cells: (row: Row) => ReactNode
  /**
   * Tailwind classes that lay out the cells of a row, and of the header. Where the grid is narrow, `group-data-narrow/grid:`
   * moves a cell to a second line.
   */
  readonly columns: string
  readonly rowPx: number
  /** The height of a row with a second line. */
  readonly narrowRowPx: number
  /** Keeps the end in view when rows are added there. */
  readonly follows?: boolean
}

export const VirtualGrid = <Row,>(props: VirtualGridProps<Row>) => {
  const { label, rows, rowKey, selected, onSelect, header, cells, columns, narrowRowPx, follows = false } = props
  const scroll = useRef<HTMLDivElement>(null)
  const [isNarrow, setNarrow] = useState(false)
  const rowPx = isNarrow ? narrowRowPx : props.rowPx
  const id = useId()
  // oxlint-disable-next-line react/incompatible-library -- nothing that it answers is memoized here
  const virtualizer = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroll.current,
    estimateSize: () => rowPx,
    getItemKey: (index) => rowKey(rows[index]!),
    overscan: 8,
    anchorTo: 'end',
    followOnAppend: follows,
    scrollPaddingStart: HEADER_PX,
    paddingStart: HEADER_PX,
    observeElementRect: (instance, told) =>
      observeElementRect(instance, (rect) => {
        told(rect)
        setNarrow(rect.width < NARROW_PX)
      }),
  })
  useLayoutEffect(() => virtualizer.measure(), [virtualizer, rowPx])

  const showSelected = useEffectEvent(() => {
    if (selected >= 0) virtualizer.scrollToIndex(selected, { align: 'auto' })
  })
  const selectedKey = selected < 0 ? undefined : rowKey(rows[selected]!)
  // Also when rows get another height: what is selected is shown in a pane, which may make the grid narrow.
  useEffect(() => showSelected(), [selectedKey, rowPx])

  const walk = (key: string) => {
    const page = Math.max(1, Math.floor((scroll.current?.clientHeight ?? 0) / rowPx) - 2)
    const next = rows[indexAfter(key, selected, rows.length, page) ?? -1]
    if (next !== undefined) onSelect(next)
    return next !== undefined
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.altKey || event.ctrlKey || event.metaKey || event.target !== event.currentTarget) return
    if (walk(event.key)) event.preventDefault()
  }
  const onClick = (event: MouseEvent) => {
    const index = (event.target as Element).closest<HTMLElement>('[data-index]')?.dataset['index']
    if (index !== undefined) onSelect(rows[Number(index)]!)
  }
  useStepKeys(scroll, walk)

  const rowId = (key: number) => `${id}-${key}`
  const items = virtualizer.getVirtualItems()
  const isDrawn = items.some((item) => item.index === selected)
  return (
    <div
      ref={scroll}
      role="grid"
      aria-label={label}
      aria-rowcount={rows.length + 1}
      aria-activedescendant={selectedKey === undefined || !isDrawn ? undefined : rowId(selectedKey)}
      tabIndex={0}
      data-narrow={isNarrow || undefined}
      onKeyDown={onKeyDown}
      onClick={onClick}
      className="group/grid clear-of-notice relative min-h-0 flex-1 overflow-auto focus-visible:outline-offset-[-2px]"
    >
      <div className={classNames('relative', !isNarrow && 'min-w-max')} style={{ height: virtualizer.getTotalSize() }}>
        <div role="rowgroup" className="sticky top-0 z-10">
          <div
            role="row"
            aria-rowindex={1}
            className={classNames('items-center border-b border-line bg-sunken px-5 text-xs text-faint', columns)}
            style={{ height: HEADER_PX }}
          >
            {header}
          </div>
        </div>
        <div role="rowgroup">
          {items.map((item) => {
            const row = rows[item.index]!
            return (
              <div
                key={item.key}
                id={rowId(rowKey(row))}
                role="row"
                aria-rowindex={item.index + 2}
                aria-selected={item.index === selected}
                data-index={item.index}
                className={classNames(
                  'absolute inset-x-0 top-0 items-center border-b border-line/60 px-5',
                  item.index === selected ? 'bg-selected' : 'hover:bg-hover',
                  columns,
                )}
                style={{ height: rowPx, transform: `translateY(${item.start}px)` }}
              >
                {cells(row)}
              </div>
            )
          })}
        </div>
      </div>
    </div>
  )
}

const HEADER_PX = 28
/** As wide as the columns of a history and a scrollbar need. */
const NARROW_PX = 570
