// The list of Executions, page by page, and how many there are. A page is read once and then kept right by whoever
// shows it: asked for again all at once, pages that were read at different times would overlap or leave gaps.

import { type QueryClient, queryOptions } from '@tanstack/react-query'
import type { ExecutionFilter, ExecutionSummary, List } from '#sdk/index.ts'
import { queryKey } from './query-keys.ts'
import { absoluteTimes } from './relative-times.ts'
import type { Scope } from './scope.ts'

const FIRST_PAGE = 100
/** Those behind it are passed by quickly: as many as a service gives. */
const LATER_PAGE = 200
const KEPT_MS = 300_000

/** A filter's times may be relative to now, such as `-15m`: they are so each time that something is asked. */
export type Place = { readonly scope: Scope; readonly filter: ExecutionFilter }

/** `gone`: it is not in the list any more, and stays in sight until nobody looks. */
export type ListedExecution = ExecutionSummary & { readonly gone?: true }
export type ExecutionPage = List<ListedExecution>

/** Everything that is kept of a list begins with it. */
const listKey = ({ scope, filter }: Place) => queryKey(scope, 'executions', filter)
export const pagesKey = (place: Place) => [...listKey(place), 'page'] as const
export const extentKey = (place: Place) => [...listKey(place), 'extent'] as const

export const readExecutions = (
  { scope, filter }: Place,
  cursor: string | null,
  signal?: AbortSignal,
): Promise<ExecutionPage> =>
  (signal === undefined ? scope : scope.until(signal)).client.listExecutions({
    ...absoluteTimes(filter, Date.now()),
    limit: cursor === null ? FIRST_PAGE : LATER_PAGE,
    cursor,
  })

/** `onRead` may change what was read before it is kept. */
export const executionPageQuery = (
  place: Place,
  cursor: string | null,
  onRead: (client: QueryClient, page: ExecutionPage) => ExecutionPage,
) =>
  queryOptions({
    queryKey: [...pagesKey(place), cursor],
    queryFn: async ({ client, signal }) => onRead(client, await readExecutions(place, cursor, signal)),
    staleTime: 'static',
    gcTime: KEPT_MS,
  })

export const executionCountsQuery = ({ scope, filter }: Place) =>
  queryOptions({
    queryKey: queryKey(scope, 'counts', filter),
    queryFn: ({ signal }) => scope.until(signal).client.countExecutions(absoluteTimes(filter, Date.now())),
    // A service that cannot count says so each time.
    retry: false,
  })

const BULK_LOOK_MS = 250

export const bulkQuery = (scope: Scope, id: string) =>
  queryOptions({
    queryKey: queryKey(scope, 'bulk', id),
    queryFn: ({ signal }) => scope.until(signal).anyProject.getBulk(id),
    refetchInterval: ({ state }) =>
      state.data === undefined || state.data.status === 'running' ? BULK_LOOK_MS : false,
  })
