// The rows of the list. Only the visible ones, and the one with the focus, are in the document.

import { observeElementRect, useVirtualizer } from '@tanstack/react-virtual'
import { useRef, useState } from 'react'
import type { Place } from '../../../api/executions-query.ts'
import { useRangeWith, useRovingRow, useRovingState } from '../../../parts/use-roving-row.ts'
import { useScrollMemory } from '../../../parts/use-scroll-memory.ts'
import type { Visit } from '../../../parts/visit.ts'
import { type Extent, placeOf, rowAt, rowCount } from './extent.ts'
import { HEADER_PX } from './grid-header.tsx'
import { ROW_PX } from './row.tsx'
import { type FirstPage, usePages } from './use-list.ts'

export const useRows = (place: Place, visit: Visit, extent: Extent, first: FirstPage, total: number | undefined) => {
  const scroller = useRef<HTMLDivElement>(null)
  const body = useRef<HTMLDivElement>(null)
  const state = useRovingState(visit)
  const memory = useScrollMemory(visit, scroller)
  const [widthPx, setWidthPx] = useState(Number.POSITIVE_INFINITY)

  const standIns = first.isPlaceholderData ? (first.data?.items.length ?? 0) : 0
  // After a reload the rows are there before the service has counted them.
  const count = Math.max(rowCount(extent, total ?? visit.kept().count), standIns)
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
    // The virtualizer renders again when other rows become visible, but not when only the width changes.
    observeElementRect: (instance, told) =>
      observeElementRect(instance, (rect) => {
        told(rect)
        setWidthPx(rect.width)
      }),
    rangeExtractor: useRangeWith(state.at?.row),
  })
  const items = virtualizer.getVirtualItems()
  const range = { first: virtualizer.range?.startIndex ?? 0, last: virtualizer.range?.endIndex ?? 0 }
  const { pages, failed } = usePages(place, extent, first.data, range)
  const executionAt = (row: number | undefined) => (row === undefined ? undefined : rowAt(extent, pages, row))
  const roving = useRovingRow(state, {
    count,
    idAt: (row) => executionAt(row)?.id,
    rowOf: (id) => placeOf(extent, pages, id),
    body,
    focusable: '[data-row-focus]',
    scroller: virtualizer,
  })

  return {
    scroller,
    body,
    count,
    /** The rows in the document, with their positions. */
    items,
    /** The visible rows. */
    range,
    heightPx: virtualizer.getTotalSize(),
    widthPx,
    toTop: () => virtualizer.scrollToOffset(0),
    noteScroll: () => {
      memory.note()
      visit.keep({ count })
    },
    pages,
    failed,
    executionAt,
    roving,
  }
}
