// A DataTable for thousands of rows: only rows in view are rendered, and the columns keep their widths as rows come and go.

import { useVirtualizer } from '@tanstack/react-virtual'
import { Fragment, useEffect, useRef } from 'react'
import { type DataTableProps, TableHead, TableRow } from './data-table.tsx'
import { useRangeWith, useRovingState } from './use-roving-row.ts'
import { useRowKeys } from './use-row-keys.ts'
import { useScrollMemory } from './use-scroll-memory.ts'
import { useVisit } from './visit.ts'

export type LongTableProps<Row> = DataTableProps<Row> & {
  /** Of a usual row. Rows may differ. */
  readonly rowPx: number
  /** Called while the last rows are near, if there may be further ones. */
  readonly onNearEnd?: (() => void) | undefined
}

const HEADER_PX = 32
/** Two screens of rows. */
const NEAR = 60

export const LongTable = <Row,>({ label, columns, rows, rowKey, rowPx, onNearEnd }: LongTableProps<Row>) => {
  const scroller = useRef<HTMLDivElement>(null)
  const body = useRef<HTMLTableSectionElement>(null)
  const visit = useVisit(label)
  const state = useRovingState(visit)
  const memory = useScrollMemory(visit, scroller)
  // oxlint-disable-next-line react/incompatible-library -- nothing that it answers is memoized here
  const virtualizer = useVirtualizer<HTMLDivElement, HTMLTableRowElement>({
    count: rows.length,
    getScrollElement: () => scroller.current,
    getItemKey: (index) => rowKey(rows[index]!),
    estimateSize: () => rowPx,
    overscan: 6,
    scrollMargin: HEADER_PX,
    scrollPaddingStart: HEADER_PX,
    initialOffset: memory.initialOffset,
    initialMeasurementsCache: memory.rows(),
    rangeExtractor: useRangeWith(state.at?.row),
  })
  const items = virtualizer.getVirtualItems()
  const last = virtualizer.range?.endIndex ?? 0
  useEffect(() => {
    if (last >= rows.length - NEAR) onNearEnd?.()
  })
  const onFocus = useRowKeys(state, {
    rows,
    rowKey,
    body,
    scroller: virtualizer,
    first: () => virtualizer.range?.startIndex ?? 0,
  })

  return (
    <div className="@container flex min-h-0 flex-1 flex-col">
      <div
        ref={scroller}
        onScroll={() => memory.note(virtualizer.takeSnapshot())}
        // The virtualizer keeps the place. Chromium's own anchor may be a gap that goes, and then it scrolls to the start.
        className="clear-of-notice min-h-0 flex-1 overflow-auto [overflow-anchor:none]"
      >
        <table
          aria-label={label}
          aria-rowcount={onNearEnd === undefined ? rows.length + 1 : -1}
          // A column that takes the rest has no width here: it would take everything.
          className="w-full table-fixed border-collapse wrap-anywhere [&_th.w-full]:w-auto"
        >
          <TableHead aria-rowindex={1} columns={columns} />
          <tbody ref={body}>
            {items.map(({ key, index, start }, nth) => (
              <Fragment key={key}>
                <Gap px={start - (items[nth - 1]?.end ?? HEADER_PX)} />
                <TableRow
                  ref={virtualizer.measureElement}
                  data-index={index}
                  aria-rowindex={index + 2}
                  columns={columns}
                  row={rows[index]!}
                  onFocus={() => onFocus(index)}
                />
              </Fragment>
            ))}
            <Gap px={virtualizer.getTotalSize() + HEADER_PX - (items.at(-1)?.end ?? HEADER_PX)} />
          </tbody>
        </table>
        {/* No row: one that spans all columns would give those that are left out here a width, too. */}
        {onNearEnd !== undefined && <p className="flex h-9 items-center px-5 text-soft">Loading more</p>}
      </div>
    </div>
  )
}

/** Takes the place of rows out of view. */
const Gap = ({ px }: { readonly px: number }) => px > 0 && <tr aria-hidden="true" style={{ height: px }} />
