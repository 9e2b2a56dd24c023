import { queryOptions, useQuery } from '@tanstack/react-query'
import { useCallback, useSyncExternalStore } from 'react'
import type { HistoryEntry } from '#sdk/index.ts'
import { executionKey } from '../../../../api/query-keys.ts'
import { type Scope, useScope } from '../../../../api/scope.ts'
import { createJournal, type Journal, type PageStart } from './journal.ts'
import { createJournalReader, type JournalReader, type ReadPage } from './journal-reader.ts'

const pagesOf =
  (scope: Scope, id: string): ReadPage =>
  ({ limit, cursor }) =>
    scope.anyProject.getHistory(id, { limit, cursor })

/**
 * The cache holds the reader, whose journal grows while it reads. A refetch continues after the last known entry, so a
 * change costs one short request however long the history is.
 */
export const journalQuery = (scope: Scope, id: string) =>
  queryOptions({
    queryKey: executionKey(scope, 'history', id),
    queryFn: async ({ client, queryKey, signal }): Promise<JournalReader> => {
      const reader = client.getQueryData<JournalReader>(queryKey) ?? createJournalReader(createJournal())
      await reader.catchUp(pagesOf(scope, id), signal)
      return reader
    },
    initialData: (): JournalReader => createJournalReader(createJournal()),
    initialDataUpdatedAt: 0,
    structuralSharing: false,
  })

export type JournalView = {
  readonly journal: Journal
  /** Changes whenever the journal, which is mutable, changes. */
  readonly version: number
  readonly error: Error | null
  readonly readOn: () => void
}

export const useJournal = (id: string): JournalView => {
  const scope = useScope()
  const { data: reader, error, refetch } = useQuery(journalQuery(scope, id))
  const { journal } = reader
  const version = useSyncExternalStore(journal.subscribe, journal.version)
  const readOn = useCallback(() => {
    reader.goOn()
    void refetch()
  }, [reader, refetch])
  return { journal, version, error, readOn }
}

/** Reads one full entry again, whose data was too large to keep. */
export const wholeEntryQuery = (scope: Scope, id: string, page: PageStart, position: number) =>
  queryOptions({
    queryKey: [...executionKey(scope, 'history', id), position],
    queryFn: async (): Promise<HistoryEntry> => {
      const limit = position - page.first + 1
      const { items } = await scope.anyProject.getHistory(id, { limit, cursor: page.cursor })
      const entry = items.find((item) => item.position === position)
      if (entry === undefined) throw new Error(`the service did not return entry ${position}`)
      return entry
    },
    staleTime: 'static',
    gcTime: 10_000,
  })

/** Reads truncated entries again, page by page, for a search or a copy. */
export const useWholeEntries = (id: string, journal: Journal) => {
  const scope = useScope()
  return useCallback(
    (positions: readonly number[]): AsyncGenerator<HistoryEntry> => readWhole(pagesOf(scope, id), journal, positions),
    [scope, id, journal],
  )
}

async function* readWhole(readPage: ReadPage, journal: Journal, positions: readonly number[]) {
  const byPage = Map.groupBy(positions, (position) => journal.pageOf(position))
  for (const [page, wanted] of byPage) {
    if (page === undefined) continue
    const { items } = await readPage({ limit: Math.max(...wanted) - page.first + 1, cursor: page.cursor })
    const asked = new Set(wanted)
    yield* items.filter((entry) => asked.has(entry.position))
  }
}
