// Every query of the dashboard, as named options.

import { queryOptions } from '@tanstack/react-query'
import type { List } from '#sdk/index.ts'
import { keptData } from './kept-data.ts'
import { executionKey, queryKey } from './query-keys.ts'
import type { Scope } from './scope.ts'

/** Small lists are read whole, up to this many pages. */
const MOST_PAGES = 50

/** Reads a list to its end, page after page. A service could give empty pages, and a next one, for ever. */
export const whole = async <Item>(
  read: (page: { readonly limit: number; readonly cursor?: string }) => Promise<List<Item>>,
): Promise<readonly Item[]> => {
  const items: Item[] = []
  let cursor: string | null = null
  for (let pages = 0; pages < MOST_PAGES; pages += 1) {
    const page: List<Item> = await read({ limit: 200, ...(cursor !== null && { cursor }) })
    items.push(...page.items)
    cursor = page.nextCursor
    if (cursor === null) break
  }
  return items
}

export const projectsQuery = (scope: Scope) =>
  queryOptions({
    queryKey: queryKey({ ...scope, projectId: null }, 'projects'),
    queryFn: async ({ signal }) => (await scope.until(signal).anyProject.listProjects()).items,
  })

export const programsQuery = (scope: Scope) =>
  queryOptions({
    queryKey: queryKey(scope, 'programs'),
    queryFn: ({ signal }) => whole((page) => scope.until(signal).client.listPrograms(page)),
  })

export const programQuery = (scope: Scope, id: string) =>
  queryOptions({
    queryKey: queryKey(scope, 'program', id),
    queryFn: ({ signal }) => scope.until(signal).client.getProgram(id),
  })

/** `newest` is the number of the newest version, where it is known; a higher one loads the versions again. */
export const versionsQuery = (scope: Scope, programId: string, newest?: number) =>
  queryOptions({
    queryKey: queryKey(scope, 'versions', programId, newest ?? null),
    placeholderData: keptData(scope),
    queryFn: ({ signal }) => whole((page) => scope.until(signal).client.listProgramVersions(programId, page)),
  })

export const executionQuery = (scope: Scope, id: string) =>
  queryOptions({
    queryKey: executionKey(scope, 'execution', id),
    queryFn: ({ signal }) => scope.until(signal).anyProject.getExecution(id),
  })
