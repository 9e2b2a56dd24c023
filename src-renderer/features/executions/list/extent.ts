// The pages of a list that have been read so far, and the row at which each begins. Pages are read in order, and only
// visible ones stay in memory; with its cursor and first row, any other can be read again at once. Rows count from 0.

import type { ExecutionPage, ListedExecution } from '../../../api/executions-query.ts'

type PageMark = {
  readonly cursor: string | null
  /** The number of its first row. */
  readonly start: number
  /** The id of the last row of the page before. */
  readonly behind: string | undefined
}

export type Extent = {
  /** Never empty. All but the last have been read. */
  readonly pages: readonly PageMark[]
  /** The number of rows; undefined until the last page has been read. */
  readonly end: number | undefined
}

export const UNKNOWN_EXTENT: Extent = { pages: [{ cursor: null, start: 0, behind: undefined }], end: undefined }

/** Placeholders after the last row that has been read, while the number of rows is unknown. */
const RUNWAY = 50
/**
 * The next page is read when the last visible row is this close to it. The first page has more rows than that beyond a
 * screen.
 */
const AHEAD = 50
/** Browsers limit the height of an element to about 30 million pixels. */
const MOST_ROWS = 500_000

/** The extent when only this first page has been read. */
export const extentFrom = (first: ExecutionPage): Extent => extend(UNKNOWN_EXTENT, 0, first)

/** The extent after `page` was read, for the first time or again. */
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

/** A page that is read again may have fewer rows, because some were deleted: the pages after it move up. */
const shift = (extent: Extent, index: number, end: number): Extent => {
  const by = end - (extent.pages[index + 1]?.start ?? end)
  if (by === 0) return extent
  return {
    pages: extent.pages.map((mark, at) => (at <= index ? mark : { ...mark, start: mark.start + by })),
    end: extent.end === undefined ? undefined : extent.end + by,
  }
}

/**
 * Removes rows at the end of a page that the next page contains, too: they moved up when rows of this page were deleted.
 * Ids are in order of creation, as the list is.
 */
export const clip = (extent: Extent, index: number, page: ExecutionPage): ExecutionPage => {
  const next = extent.pages[index + 1]
  if (next?.behind === undefined) return page
  const { behind } = next
  const at = page.items.findIndex(({ id }) => id === behind)
  const items = at === -1 ? page.items.filter(({ id }) => id > behind) : page.items.slice(0, at + 1)
  return items.length === page.items.length ? page : { items, nextCursor: next.cursor }
}

/** The number of rows, or an estimate. `total` is the service's count. */
export const rowCount = (extent: Extent, total: number | undefined): number => {
  if (extent.end !== undefined) return extent.end
  const known = extent.pages.at(-1)?.start ?? 0
  return Math.min(Math.max(known + 1, total ?? known + RUNWAY), known + MOST_ROWS)
}

/** The index of the page that contains the row; of the last page for rows that have not been read. */
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

/** The pages that contain these rows, and the next one if the last row is close to it. */
export const pagesFor = (extent: Extent, first: number, last: number): readonly number[] => {
  const from = pageAt(extent, first)
  const to = pageAt(extent, Math.min(last + AHEAD, rowCount(extent, undefined) - 1))
  return Array.from({ length: to - from + 1 }, (_, index) => from + index)
}

/** The row with this number; undefined if its page is not in memory. */
export const rowAt = (
  extent: Extent,
  pages: ReadonlyMap<number, ExecutionPage>,
  row: number,
): ListedExecution | undefined => {
  const index = pageAt(extent, row)
  return pages.get(index)?.items[row - (extent.pages[index]?.start ?? 0)]
}

/** The number of an Execution's row; undefined if no page in memory contains it. */
export const placeOf = (extent: Extent, pages: ReadonlyMap<number, ExecutionPage>, id: string): number | undefined => {
  for (const [index, page] of pages) {
    const at = page.items.findIndex((one) => one.id === id)
    if (at !== -1) return (extent.pages[index]?.start ?? 0) + at
  }
  return undefined
}
