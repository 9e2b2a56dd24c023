// The rows of a list as they are needed: which pages are in sight is asked of the table, the pages of the service.

import { keepPreviousData, type QueryClient, skipToken, useQueries, useQuery } from '@tanstack/react-query'
import {
  type ExecutionPage,
  executionPageQuery,
  extentKey,
  pagesKey,
  type Place,
} from '../../../api/executions-query.ts'
import { clip, extend, type Extent, pagesFor, UNKNOWN_EXTENT } from './extent.ts'

/** Pages out of sight that are kept, so that one can scroll back and forth without asking again. */
const KEPT_PAGES = 6
const KEPT_MS = 300_000

export const useExtent = (place: Place): Extent =>
  useQuery({
    queryKey: extentKey(place),
    queryFn: skipToken,
    initialData: UNKNOWN_EXTENT,
    staleTime: 'static',
    gcTime: KEPT_MS,
  }).data ?? UNKNOWN_EXTENT

const pageQuery = (place: Place, cursor: string | null) =>
  executionPageQuery(place, cursor, (client, page) => keepPage(client, place, cursor, page))

/** Notes how far the list is known now, and drops the list that was shown longest ago. */
const keepPage = (client: QueryClient, place: Place, cursor: string | null, page: ExecutionPage): ExecutionPage => {
  const extent = client.getQueryData<Extent>(extentKey(place)) ?? UNKNOWN_EXTENT
  const index = extent.pages.findIndex((mark) => mark.cursor === cursor)
  if (index === -1) return page
  const clipped = clip(extent, index, page)
  client.setQueryData(extentKey(place), extend(extent, index, clipped))
  const cache = client.getQueryCache()
  const unseen = cache
    .findAll({ queryKey: pagesKey(place), type: 'inactive' })
    .toSorted((one, other) => other.state.dataUpdatedAt - one.state.dataUpdatedAt)
  for (const query of unseen.slice(KEPT_PAGES)) cache.remove(query)
  return clipped
}

/** The first page is always there: what changes, changes there. Until it comes, the one before stands in for it. */
export const useFirstPage = (place: Place) => useQuery({ ...pageQuery(place, null), placeholderData: keepPreviousData })

export type FirstPage = ReturnType<typeof useFirstPage>

export type Pages = ReadonlyMap<number, ExecutionPage>

export type PagesInSight = {
  /** Those that are there, by their number. */
  readonly pages: Pages
  /** One that could not be read. */
  readonly failed: { readonly error: Error; readonly retry: () => void } | undefined
}

/** The pages that hold these rows. */
export const usePages = (
  place: Place,
  extent: Extent,
  first: ExecutionPage | undefined,
  range: { readonly first: number; readonly last: number },
): PagesInSight => {
  const wanted = pagesFor(extent, range.first, range.last).filter((index) => index > 0)
  const results = useQueries({ queries: wanted.map((index) => pageQuery(place, extent.pages[index]!.cursor)) })
  const pages = new Map<number, ExecutionPage>()
  if (first !== undefined) pages.set(0, first)
  for (const [at, { data }] of results.entries()) if (data !== undefined) pages.set(wanted[at]!, data)
  const failed = results.find(({ data, error }) => error !== null && data === undefined)
  if (failed === undefined || failed.error === null) return { pages, failed: undefined }
  return { pages, failed: { error: failed.error, retry: () => void failed.refetch() } }
}

/** The pages that could not be read are asked for again: the service answers anew. */
export const retryPages = (client: QueryClient, place: Place): void => {
  for (const query of client.getQueryCache().findAll({ queryKey: pagesKey(place), type: 'active' })) {
    if (query.state.status === 'error') void query.fetch().catch(() => {})
  }
}

/** Reads the pages that hold these rows, one after the other. */
export const readPages = async (
  client: QueryClient,
  place: Place,
  range: { readonly first: number; readonly last: number },
): Promise<{ readonly extent: Extent; readonly pages: Pages }> => {
  const pages = new Map<number, ExecutionPage>()
  const extentNow = () => client.getQueryData<Extent>(extentKey(place)) ?? UNKNOWN_EXTENT
  for (const index of pagesFor(extentNow(), range.first, range.last)) {
    const { cursor } = extentNow().pages[index]!
    pages.set(index, await client.query(pageQuery(place, cursor)))
  }
  return { extent: extentNow(), pages }
}
