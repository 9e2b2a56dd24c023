// Lists that may be long, and are read page by page as the user scrolls. What is on screen is read again together.

import { infiniteQueryOptions, type QueryKey, useInfiniteQuery, useQueryClient } from '@tanstack/react-query'
import type { List } from '#sdk/index.ts'
import { askAgain } from './ask-again.ts'
import { useKeptError } from './use-query-keeping-error.ts'

const PAGE = 200

type ReadPage<Item> = (
  page: { readonly limit: number; readonly cursor: string | null },
  signal: AbortSignal,
) => Promise<List<Item>>

export const pagedListQuery = <Item>(queryKey: QueryKey, read: ReadPage<Item>) =>
  infiniteQueryOptions({
    queryKey,
    queryFn: ({ pageParam, signal }) => read({ limit: PAGE, cursor: pageParam }, signal),
    initialPageParam: null as string | null,
    // A service could give empty pages, and a next one, for ever.
    getNextPageParam: ({ items, nextCursor }) => (items.length === 0 ? null : nextCursor),
  })

export type MoreRows = {
  /** Reads the next page, unless something is being read. */
  readonly load: () => void
  /** The next page could not be read. */
  readonly failed: { readonly error: Error; readonly retry: () => void } | undefined
}

/** `data`: its pages. `more`: undefined once the list has been read to its end. */
export const usePagedList = <Item>(options: ReturnType<typeof pagedListQuery<Item>>) => {
  const query = useInfiniteQuery(options)
  const { data, isFetching, isFetchNextPageError, hasNextPage, fetchNextPage } = query
  const queries = useQueryClient()
  const error = useKeptError(query)
  // Effects may call it twice before the first call is rendered.
  const retry = () => void fetchNextPage({ cancelRefetch: false })
  const more: MoreRows = {
    load: () => {
      if (!isFetching && !isFetchNextPageError) retry()
    },
    failed: isFetchNextPageError && error !== null ? { error, retry } : undefined,
  }
  return {
    queryKey: options.queryKey,
    data: data?.pages.map(({ items }) => items),
    more: hasNextPage ? more : undefined,
    error,
    refetch: (): void => void askAgain(queries, options.queryKey),
  }
}
