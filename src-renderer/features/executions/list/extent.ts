// How far a list is known. It is read page by page, each behind the one before, and only the pages in sight are kept;
// where each begins is remembered, so that one can go back to it at once. Rows are counted from 0.

import type { ExecutionPage, ListedExecution } from '../../../api/executions-query.ts'

type PageMark = {
  readonly cursor: string | null
  /** The place of its first row. */
  readonly start: number
  /** The last row of the page before. */
  readonly behind: string | undefined
}

export type Extent = {
  /** Never empty. All but the last have been read. */
  readonly pages: readonly PageMark[]
  /** How many rows there are, once the last page was read. */
  readonly end: number | undefined
}

export const UNKNOWN_EXTENT: Extent = { pages: [{ cursor: null, start: 0, behind: undefined }], end: undefined }

/** Rows that are shown as placeholders behind the rows that are known, while their number is unknown. */
const RUNWAY = 50
/** The next page is asked for when so many rows are left before it. Fewer than the first page holds beyond a screen. */
const AHEAD = 50
/** Browsers end elements at some 30 million pixels. */
const MOST_ROWS = 500_000

/** The list as it is when only this first page of it is known. */
export const extentFrom = (first: ExecutionPage): Extent => extend(UNKNOWN_EXTENT, 0, first)

/** `page` was read for the first time, or again after it had been dropped. */
export const extend = (extent: Extent, index: number, page: ExecutionPage): Extent => {
  const { pages } = extent
  const mark = pages[index]
  if (mark === undefined) return extent
  const end = mark.start + page.items.length
  if (index < pages.length - 1) return shift(extent, index, end)
  const last = page.items.at(-1)
  if (page.nextCursor === null || last === undefined) return { pages, end }
  return { pages: [...pages, { cursor: page.nextCursor, start: end, behind: last.id }], end: undefined }
}

/** Rows of a page that was read before may be gone by now: what is behind it moves up. */
const shift = (extent: Extent, index: number, end: number): Extent => {
  const by = end - (extent.pages[index + 1]?.start ?? end)
  if (by === 0) return extent
  return {
    pages: extent.pages.map((mark, at) => (at <= index ? mark : { ...mark, start: mark.start + by })),
    end: extent.end === undefined ? undefined : extent.end + by,
  }
}

/**
 * Rows that went from a page make room for rows which the next page holds already: they are left out. Ids are in order
 * of creation, as the list is.
 */
export const clip = (extent: Extent, index: number, page: ExecutionPage): ExecutionPage => {
  const next = extent.pages[index + 1]
  if (next?.behind === undefined) return page
  const { behind } = next
  const at = page.items.findIndex(({ id }) => id === behind)
  const items = at === -1 ? page.items.filter(({ id }) => id > behind) : page.items.slice(0, at + 1)
  return items.length === page.items.length ? page : { items, nextCursor: next.cursor }
}

/** How many rows the list has, as far as one can say. `total` is what the service counted. */
export const rowCount = (extent: Extent, total: number | undefined): number => {
  if (extent.end !== undefined) return extent.end
  const known = extent.pages.at(-1)?.start ?? 0
  return Math.min(Math.max(known + 1, total ?? known + RUNWAY), known + MOST_ROWS)
}

/** Which page holds a row, or would if it were known. */
export const pageAt = ({ pages }: Extent, row: number): number => {
  let low = 0
  let high = pages.length - 1
  while (low < high) {
    const middle = Math.ceil((low + high) / 2)
    if (pages[middle]!.start <= row) low = middle
    else high = middle - 1
  }
  return low
}

/** The pages that these rows need, and the one behind them before it is missed. */
export const pagesFor = (extent: Extent, first: number, last: number): readonly number[] => {
  const from = pageAt(extent, first)
  const to = pageAt(extent, Math.min(last + AHEAD, rowCount(extent, undefined) - 1))
  return Array.from({ length: to - from + 1 }, (_, index) => from + index)
}

/** Reads rows by their place from the pages that are there. */
export const rowAt = (
  extent: Extent,
  pages: ReadonlyMap<number, ExecutionPage>,
  row: number,
): ListedExecution | undefined => {
  const index = pageAt(extent, row)
  return pages.get(index)?.items[row - (extent.pages[index]?.start ?? 0)]
}

/** The place of an Execution among the pages that are there. */
export const placeOf = (extent: Extent, pages: ReadonlyMap<number, ExecutionPage>, id: string): number | undefined => {
  for (const [index, page] of pages) {
    const at = page.items.findIndex((one) => one.id === id)
    if (at !== -1) return (extent.pages[index]?.start ?? 0) + at
  }
  return undefined
}
