// Reading queries again that have no data yet. As long as there is none, react-query waits for the request that is under way,
// which may have been sent before the service answered again, and so may never be answered. An Execution that this page deletes is
// not read again: it may be gone.

import type { Query, QueryClient, QueryKey } from '@tanstack/react-query'
import { failureOf, isPassing } from './failures.ts'
import { deletionKey } from './query-keys.ts'

const UNANSWERED_EVERY_MS = 5_000

const isUnanswered = (error: unknown): boolean => failureOf(error).kind === 'offline' && isPassing(error)

/**
 * How often to read a query. One whose only requests got no answer is read soon again: while other requests are answered,
 * nothing else would do so.
 */
export const askEvery =
  (everyMs: number | false) =>
  ({ state: { data, error } }: Pick<Query<unknown, Error, unknown, QueryKey>, 'state'>): number | false =>
    data === undefined && error !== null && isUnanswered(error) ? UNANSWERED_EVERY_MS : everyMs

/** Sends the request of a query again, in place of one that is under way. */
export const askAgain = async (queries: QueryClient, queryKey: QueryKey): Promise<void> => {
  const filter = { queryKey, exact: true }
  await queries.cancelQueries(filter, { silent: true })
  await queries.refetchQueries(filter)
}

const isDeletedHere =
  (queries: QueryClient) =>
  ({ queryKey: [, , noun, subject] }: Query): boolean => {
    if (noun !== 'execution' && noun !== 'history') return false
    const mutationKey = deletionKey(String(subject))
    return (
      queries.getMutationCache().find({ mutationKey, predicate: ({ state }) => state.status !== 'error' }) !== undefined
    )
  }

const notDeletedHere = (queries: QueryClient) => {
  const isDeleted = isDeletedHere(queries)
  return { predicate: (query: Query) => !isDeleted(query) }
}

const isFirstRead = ({ state }: Query): boolean => state.data === undefined && state.fetchStatus === 'fetching'

/** Resolves once a query on screen has been read by a request that was sent after this call. */
export const readAgain = async (queries: QueryClient, query: Query): Promise<void> => {
  if (isDeletedHere(queries)(query)) return
  const filter = { queryKey: query.queryKey, exact: true }
  // react-query waits for a first request, which may have been answered before something changed.
  const isFirst = isFirstRead(query)
  await queries.invalidateQueries(filter)
  if (isFirst) await queries.invalidateQueries(filter)
}

/** Sends the requests of all queries on screen again; of those that wait for their first answer, once they have it or it has failed. */
export const askEverythingAgain = (queries: QueryClient): void => {
  const early = queries.getQueryCache().findAll({ type: 'active', predicate: isFirstRead })
  void queries.invalidateQueries(notDeletedHere(queries))
  for (const query of early) void readAgain(queries, query)
}

/**
 * Reads all queries on screen again, but those that are being read: a service that takes longer than the time between two
 * calls would never answer them.
 */
export const readEverythingAgain = (queries: QueryClient): void =>
  void queries.invalidateQueries(notDeletedHere(queries), { cancelRefetch: false })
