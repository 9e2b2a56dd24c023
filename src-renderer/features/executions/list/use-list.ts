// Reads the pages of a list that the table shows.

import { type QueryClient, skipToken, useQueries, useQuery } from '@tanstack/react-query'
import {
  type ExecutionPage,
  executionPageQuery,
  extentKey,
  pagesKey,
  type Place,
} from '../../../api/executions-query.ts'
import { failureOf } from '../../../api/failures.ts'
import { keptData } from '../../../api/kept-data.ts'
import { clip, extend, type Extent, pagesFor, UNKNOWN_EXTENT } from './extent.ts'

/** Pages that are no longer visible but stay in memory, so that scrolling back needs no request. */
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

/** Notes where the page ends, and drops the pages that were shown longest ago. */
const keepPage = (client: QueryClient, place: Place, cursor: string | null, page: ExecutionPage): ExecutionPage => {
  const extent = client.getQueryData<Extent>(extentKey(place)) ?? UNKNOWN_EXTENT
  const index = extent.pages.findIndex((mark) => mark.cursor === cursor)
  if (index === -1) return page
  const clipped = clip(extent, index, page)
  client.setQueryData(extentKey(place), extend(extent, index, clipped))
  const cache = client.getQueryCache()
  const unseen = cache
    // Those being read are not dropped: `readPages` waits for them.
    .findAll({ queryKey: pagesKey(place), type: 'inactive', fetchStatus: 'idle' })
    .toSorted((one, other) => other.state.dataUpdatedAt - one.state.dataUpdatedAt)
  for (const query of unseen.slice(KEPT_PAGES)) cache.remove(query)
  return clipped
}

/** The first page, where new rows appear. Until it has been read, it is the one of the filter before. */
export const useFirstPage = (place: Place) =>
  useQuery({ ...pageQuery(place, null), placeholderData: keptData(place.scope) })

export type FirstPage = ReturnType<typeof useFirstPage>

export type Pages = ReadonlyMap<number, ExecutionPage>

export type PagesInSight = {
  /** The pages that have been read, by index. */
  readonly pages: Pages
  /** A page that could not be read. */
  readonly failed: { readonly error: Error; readonly retry: () => void } | undefined
}

/** The pages that contain these rows. */
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

/**
 * Whether a page after the first is refused: the service does not know the cursor any more, because its store was replaced or
 * restored. The first page has the same filter, so nothing else is refused of a later one alone.
 */
export const isOldCursor = (error: unknown): boolean => failureOf(error).code === 'invalid_request'

/** Reads pages again that could not be read, because the service answers again. */
export const retryPages = (client: QueryClient, place: Place): void => {
  for (const query of client.getQueryCache().findAll({ queryKey: pagesKey(place), type: 'active' })) {
    const { status, error } = query.state
    if (status === 'error' && !isOldCursor(error)) void query.fetch().catch(() => {})
  }
}

/** Whether a page in sight was refused because of its cursor. */
export const hasOldCursor = (client: QueryClient, place: Place): boolean =>
  client
    .getQueryCache()
    .findAll({ queryKey: pagesKey(place), type: 'active' })
    .some(({ queryKey, state }) => queryKey.at(-1) !== null && isOldCursor(state.error))

/** Reads the pages that contain these rows, one after the other. */
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
