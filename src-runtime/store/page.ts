import type { Page } from './store.ts'

/**
 * Of `limit + 1` rows that were asked for: the last one tells whether there are more. A page ends early, behind the
 * item with which it reaches `budget`, so that no answer grows with what is in its items.
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
