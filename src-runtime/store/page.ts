import type { Page } from './store.ts'

/** Of `limit + 1` rows that were asked for: whether there are more is told by the last one. */
export const toPage = <Row, Item>(rows: readonly Row[], limit: number, toItem: (row: Row) => Item): Page<Item> => ({
  items: rows.slice(0, limit).map(toItem),
  more: rows.length > limit,
})
