// Pages of a journal, and data of its entries, of some megabytes at most.

import type { JournalEntry } from '../../src-runtime/engine/journal.ts'
import type { Page } from '../../src-runtime/ports/page.ts'
import type { EntryRow } from '../../src-runtime/shared/entry-rows.ts'
import { ENTRY_COLUMNS, toEntry } from './rows.ts'

const PAGE_BYTES = 8 * 1024 * 1024

/** `found`: number of entries before the page is cut. */
export type PagedEntryRow = EntryRow & { readonly found: number }

/** At least one entry, whatever its size. `most` is one more than the page may have. */
export const pageOfEntries = (condition: string, most: string): string => `
  SELECT ${ENTRY_COLUMNS}, found FROM (
    SELECT *, sum(coalesce(octet_length(data), 0)) OVER (ORDER BY position) AS total,
      row_number() OVER (ORDER BY position) AS n, count(*) OVER () AS found
    FROM (SELECT * FROM journal WHERE ${condition} ORDER BY position LIMIT ${most}) AS f) AS s
  WHERE n = 1 OR total <= ${PAGE_BYTES} ORDER BY position`

/** The data at positions, in their order: at least of one, whatever its size. */
export const dataAtPositions = (execution: string, positions: string): string => `
  SELECT position, data FROM (
    SELECT j.position, j.data, asked.n, row_number() OVER in_order AS found,
      sum(coalesce(octet_length(j.data), 0)) OVER in_order AS total
    FROM unnest(${positions}::int[]) WITH ORDINALITY AS asked (position, n)
      JOIN journal j ON j.execution = ${execution} AND j.position = asked.position
    WINDOW in_order AS (ORDER BY asked.n)) AS f
  WHERE found = 1 OR total <= ${PAGE_BYTES} ORDER BY n`

export const toEntryPage = (rows: readonly PagedEntryRow[], limit: number): Page<JournalEntry> => {
  const items = rows.slice(0, limit).map(toEntry)
  return { items, more: items.length < (rows[0]?.found ?? 0) }
}
