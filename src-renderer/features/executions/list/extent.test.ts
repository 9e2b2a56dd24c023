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

describe('the known extent of a list', () => {
  it('grows with each page, until the last', () => {
    const first = extentFrom(page(500, 401))
    expect(first.pages.map(({ start, cursor }) => [start, cursor])).toEqual([
      [0, null],
      [100, 'behind 401'],
    ])
    expect(first.end).toBeUndefined()
    expect(threePages()).toMatchObject({ end: 500, pages: [{ start: 0 }, { start: 100 }, { start: 300 }] })
  })

  it('ends at once if the list is empty', () => {
    expect(extentFrom({ items: [], nextCursor: null })).toEqual({ ...UNKNOWN_EXTENT, end: 0 })
  })

  it('moves up the pages after one that has lost rows', () => {
    const extent = extend(threePages(), 1, page(400, 211))
    expect(extent).toMatchObject({ end: 490, pages: [{ start: 0 }, { start: 100 }, { start: 290 }] })
  })

  it('does not change if a page is read again without changes', () => {
    const extent = threePages()
    expect(extend(extent, 1, page(400, 201))).toBe(extent)
    expect(extend(extent, 9, page(400, 201))).toBe(extent)
  })
})

describe('a page that is read again', () => {
  it('ends where the next one begins, even if it has lost rows', () => {
    const extent = threePages()
    const lost = { ...page(400, 191), items: page(400, 191).items.filter(({ id }) => id !== listed(300).id) }
    const clipped = clip(extent, 1, lost)
    expect(clipped.items.at(-1)).toEqual(listed(201))
    expect(clipped.items).toHaveLength(199)
  })

  it('ends there even if its last row is gone', () => {
    const without = { ...page(400, 191), items: page(400, 191).items.filter(({ id }) => id !== listed(201).id) }
    expect(clip(threePages(), 1, without).items.at(-1)).toEqual(listed(202))
  })

  it('is used unchanged if no later page is known', () => {
    const last = page(200, 1, null)
    expect(clip(threePages(), 2, last)).toBe(last)
  })
})

describe('the number of rows', () => {
  it('is the number that was read if the list is complete', () => expect(rowCount(threePages(), 7)).toBe(500))
  it('is the service’s count, but at least the known rows', () => {
    const extent = extentFrom(page(500, 401))
    expect(rowCount(extent, 5_000)).toBe(5_000)
    expect(rowCount(extent, 20)).toBe(101)
  })
  it('is a few more than known without a count', () => {
    expect(rowCount(extentFrom(page(500, 401)), undefined)).toBe(150)
  })
  it('is limited to what a browser can show', () => expect(rowCount(UNKNOWN_EXTENT, 9e9)).toBe(500_000))
})

describe('finding rows', () => {
  const extent = threePages()
  const pages = new Map([
    [0, page(500, 401)],
    [1, page(400, 201)],
  ])

  it('returns the page of a row', () => {
    expect([0, 99, 100, 299, 300, 9_999].map((row) => pageAt(extent, row))).toEqual([0, 0, 1, 1, 2, 2])
  })

  it('requests the visible pages, and the next one early', () => {
    expect(pagesFor(extent, 0, 30)).toEqual([0])
    expect(pagesFor(extent, 30, 70)).toEqual([0, 1])
    expect(pagesFor(extent, 110, 140)).toEqual([1])
    expect(pagesFor(extent, 480, 499)).toEqual([2])
  })

  it('requests the last known page if rows far behind it are visible, because it leads there', () => {
    expect(pagesFor(extentFrom(page(500, 401)), 40_000, 40_030)).toEqual([1])
  })

  it('reads rows by position and finds them by id', () => {
    expect(rowAt(extent, pages, 0)).toEqual(listed(500))
    expect(rowAt(extent, pages, 299)).toEqual(listed(201))
    expect(rowAt(extent, pages, 300)).toBeUndefined()
    expect(placeOf(extent, pages, listed(201).id)).toBe(299)
    expect(placeOf(extent, pages, listed(1).id)).toBeUndefined()
  })
})
