import type { Page } from '../ports/page.ts'

/**
 * Makes a page of `limit + 1` requested rows; the last one tells whether there are more. A page ends early, after the
 * item with which it reaches `budget`, so that the size of an answer is bounded.
 */
export const toBoundedPage = <Row, Item>(
  rows: readonly Row[],
  limit: number,
  toItem: (row: Row) => Item | undefined,
  size: { readonly of: (item: Item) => number; readonly budget: number },
): Page<Item> => {
  const items: Item[] = []
  let total = 0
  for (const [index, row] of rows.slice(0, limit).entries()) {
    const item = toItem(row)
    if (item === undefined) continue
    items.push(item)
    total += size.of(item)
    if (total >= size.budget) return { items, more: index + 1 < rows.length }
  }
  return { items, more: rows.length > limit }
}
