// The journals of one workspace's Executions.

import type { Eventually } from '../../src-runtime/ports/eventually.ts'
import type { JournalReads } from '../../src-runtime/ports/executions.ts'
import { pageOfEntries, toEntryPage, type PagedEntryRow } from './entry-page.ts'
import type { EntryRow } from '../../src-runtime/shared/entry-rows.ts'
import { ENTRY_COLUMNS, toEntry } from './rows.ts'
import type { Scope } from './scope.ts'

const OF_EXECUTION = 'workspace = scope.workspace AND execution = $2'
const PAGE = pageOfEntries(`${OF_EXECUTION} AND position > $3`, '$4')
const ENTRY = `SELECT ${ENTRY_COLUMNS} FROM journal WHERE ${OF_EXECUTION} AND position = $3`
const MOST_ENTRIES = 2_147_483_647

export const createJournalReads = (scope: Scope): Eventually<JournalReads> => ({
  page: async (key, afterPosition, limit) => {
    const after = Math.min(afterPosition, MOST_ENTRIES)
    return toEntryPage(await scope.read<PagedEntryRow>(PAGE, [key, after, limit + 1]), limit)
  },
  entry: async (key, position) => {
    const [row] = await scope.read<EntryRow>(ENTRY, [key, position])
    return row && toEntry(row)
  },
})
