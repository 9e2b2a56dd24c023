import { describe, expect, it } from 'vitest'
import type { ExecutionPage } from '../../../api/executions-query.ts'
import {
  clip,
  extend,
  extentFrom,
  type Extent,
  pageAt,
  pagesFor,
  placeOf,
  rowAt,
  rowCount,
  UNKNOWN_EXTENT,
} from './extent.ts'
import { listed } from './listed.test-support.ts'

/** Rows `from` down to `to`, as the list has them: newest first. */
const page = (from: number, to: number, nextCursor: string | null = `behind ${to}`): ExecutionPage => ({
  items: Array.from({ length: from - to + 1 }, (_, index) => listed(from - index)),
  nextCursor,
})

const threePages = (): Extent => {
  const first = extentFrom(page(500, 401))
  return extend(extend(first, 1, page(400, 201)), 2, page(200, 1, null))
}

describe('how far a list is known', () => {
  it('grows with each page that is read, until the last', () => {
    const first = extentFrom(page(500, 401))
    expect(first.pages.map(({ start, cursor }) => [start, cursor])).toEqual([
      [0, null],
      [100, 'behind 401'],
    ])
    expect(first.end).toBeUndefined()
    expect(threePages()).toMatchObject({ end: 500, pages: [{ start: 0 }, { start: 100 }, { start: 300 }] })
  })

  it('ends at once where there is nothing', () => {
    expect(extentFrom({ items: [], nextCursor: null })).toEqual({ ...UNKNOWN_EXTENT, end: 0 })
  })

  it('moves up what is behind a page that has lost rows since it was first read', () => {
    const extent = extend(threePages(), 1, page(400, 211))
    expect(extent).toMatchObject({ end: 490, pages: [{ start: 0 }, { start: 100 }, { start: 290 }] })
  })

  it('does not change when a page is read again as it was', () => {
    const extent = threePages()
    expect(extend(extent, 1, page(400, 201))).toBe(extent)
    expect(extend(extent, 9, page(400, 201))).toBe(extent)
  })
})

describe('a page that is read again', () => {
  it('ends where the next one begins, though rows of it are gone', () => {
    const extent = threePages()
    const lost = { ...page(400, 191), items: page(400, 191).items.filter(({ id }) => id !== listed(300).id) }
    const clipped = clip(extent, 1, lost)
    expect(clipped.items.at(-1)).toEqual(listed(201))
    expect(clipped.items).toHaveLength(199)
  })

  it('ends there even when the row that was its last is gone', () => {
    const without = { ...page(400, 191), items: page(400, 191).items.filter(({ id }) => id !== listed(201).id) }
    expect(clip(threePages(), 1, without).items.at(-1)).toEqual(listed(202))
  })

  it('is taken as it is when nothing is known behind it', () => {
    const last = page(200, 1, null)
    expect(clip(threePages(), 2, last)).toBe(last)
  })
})

describe('how many rows there are', () => {
  it('is what was read, once all was', () => expect(rowCount(threePages(), 7)).toBe(500))
  it('is what the service counted, but never less than what is known', () => {
    const extent = extentFrom(page(500, 401))
    expect(rowCount(extent, 5_000)).toBe(5_000)
    expect(rowCount(extent, 20)).toBe(101)
  })
  it('is a few more than are known where the service does not count', () => {
    expect(rowCount(extentFrom(page(500, 401)), undefined)).toBe(150)
  })
  it('is never more than a browser can show', () => expect(rowCount(UNKNOWN_EXTENT, 9e9)).toBe(500_000))
})

describe('finding rows', () => {
  const extent = threePages()
  const pages = new Map([
    [0, page(500, 401)],
    [1, page(400, 201)],
  ])

  it('tells the page of a row', () => {
    expect([0, 99, 100, 299, 300, 9_999].map((row) => pageAt(extent, row))).toEqual([0, 0, 1, 1, 2, 2])
  })

  it('asks for the pages in sight and, shortly before it is needed, for the next', () => {
    expect(pagesFor(extent, 0, 30)).toEqual([0])
    expect(pagesFor(extent, 30, 70)).toEqual([0, 1])
    expect(pagesFor(extent, 110, 140)).toEqual([1])
    expect(pagesFor(extent, 480, 499)).toEqual([2])
  })

  it('asks for the last known page when rows far behind it are in sight: the way there leads over it', () => {
    expect(pagesFor(extentFrom(page(500, 401)), 40_000, 40_030)).toEqual([1])
  })

  it('reads them by place and finds them by id', () => {
    expect(rowAt(extent, pages, 0)).toEqual(listed(500))
    expect(rowAt(extent, pages, 299)).toEqual(listed(201))
    expect(rowAt(extent, pages, 300)).toBeUndefined()
    expect(placeOf(extent, pages, listed(201).id)).toBe(299)
    expect(placeOf(extent, pages, listed(1).id)).toBeUndefined()
  })
})
