// The list of Executions, page by page, and how many there are. Each page is read once; the screen then keeps it up to
// date. Pages read again at different times would overlap or leave gaps.

import { type QueryClient, queryOptions } from '@tanstack/react-query'
import type { ExecutionFilter, ExecutionSummary, List } from '#sdk/index.ts'
import { failureOf } from './failures.ts'
import { queryKey } from './query-keys.ts'
import { absoluteTimes } from './relative-times.ts'
import type { Scope } from './scope.ts'
import { serviceNow } from './service-clock.ts'

const FIRST_PAGE = 100
/** Users scroll quickly past later pages, so each has as many rows as the service allows. */
const LATER_PAGE = 200
const KEPT_MS = 300_000
/** Characters that a filter by label may have. */
export const LONGEST_LABEL = 200

/** A filter's times may be relative to now, such as `-15m`. They are resolved for each request. */
export type Place = { readonly scope: Scope; readonly filter: ExecutionFilter }

/**
 * `gone`: the Execution left the list. Its row stays until the user moves away. `unread`: a change said that it waits, and
 * what it waits for is not read yet.
 */
export type ListedExecution = ExecutionSummary & { readonly gone?: true; readonly unread?: true }
export type ExecutionPage = List<ListedExecution>

/** The prefix of all query keys of one list. */
const listKey = ({ scope, filter }: Place) => queryKey(scope, 'executions', filter)
export const pagesKey = (place: Place) => [...listKey(place), 'page'] as const
export const extentKey = (place: Place) => [...listKey(place), 'extent'] as const

export const readExecutions = (
  { scope, filter }: Place,
  cursor: string | null,
  signal?: AbortSignal,
): Promise<ExecutionPage> =>
  (signal === undefined ? scope : scope.until(signal)).client.listExecutions({
    ...absoluteTimes(filter, serviceNow(scope.connection)),
    limit: cursor === null ? FIRST_PAGE : LATER_PAGE,
    cursor,
  })

/** `onRead` may change the page before it is cached. */
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
    queryFn: ({ signal }) =>
      scope.until(signal).client.countExecutions(absoluteTimes(filter, serviceNow(scope.connection))),
  })

const BULK_LOOK_MS = 250

/** A local runtime does not remember its bulk actions when it is started again. */
export const isForgottenBulk = (error: unknown): boolean => failureOf(error).kind === 'missing'

export const bulkQuery = (scope: Scope, id: string) =>
  queryOptions({
    queryKey: queryKey(scope, 'bulk', id),
    queryFn: ({ signal }) => scope.until(signal).anyProject.getBulk(id),
    refetchInterval: ({ state: { data, error } }) =>
      (data === undefined || data.status === 'running') && !isForgottenBulk(error) ? BULK_LOOK_MS : false,
  })
