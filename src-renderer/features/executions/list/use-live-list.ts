// Keeps a list up to date. A changed status shows at once. The list reads the rest (errors, what is awaited, new and
// deleted rows) a little later, once for all changes until then. It adds and removes rows only while the user is not
// using the list; otherwise it counts the new rows.

import { notifyManager, type QueryClient, useQueryClient } from '@tanstack/react-query'
import { useCallback, useEffect, useEffectEvent, useRef, useState } from 'react'
import { useChanges } from '../../../api/live.ts'
import type { LiveChange } from '../../../api/live-changes.ts'
import { failureOf, isPassing } from '../../../api/failures.ts'
import { projectIdOf } from '../../../api/scope.ts'
import { throttled, type Throttled } from '../../../api/throttled.ts'
import { type ExecutionPage, extentKey, pagesKey, type Place, readExecutions } from '../../../api/executions-query.ts'
import { type Extent, extentFrom } from './extent.ts'
import { type Changes, inPlace, keepingSame, newestOf, type News, newsIn, NO_NEWS, withChanges } from './live-rows.ts'
import { hasOldCursor, isOldCursor, retryPages } from './use-list.ts'

const LOOK_EVERY_MS = 250
/** Under constant change. Rows that move more often cannot be read, and each time all of them are painted again. */
const LOOK_SELDOM_MS = 1_000
/** After a read that failed. A change or a new connection leads to one at once. */
const LOOK_AGAIN_MS = 2_000
/** After one that took too long, or that may fail until somebody does something. */
const LOOK_AGAIN_LATER_MS = 10_000

/** undefined: the service refuses this list. */
const lookAgainAfter = (error: unknown): number | undefined => {
  if (isPassing(error)) return LOOK_AGAIN_MS
  return failureOf(error).kind === 'refused' ? undefined : LOOK_AGAIN_LATER_MS
}

/** The changes since the last read. `anything`: any row may have changed. */
type Heard = { readonly changes: readonly LiveChange[]; readonly anything: boolean }
const NOTHING_HEARD: Heard = { changes: [], anything: false }
/** While no list was shown, its changes were not followed. */
const ANYTHING_HEARD: Heard = { changes: [], anything: true }

const both = (earlier: Heard, later: Heard): Heard => ({
  changes: [...earlier.changes, ...later.changes],
  anything: earlier.anything || later.anything,
})

export type LiveListOptions = {
  /** Whether rows may move: the list shows its top, and neither the pointer, a menu nor the keyboard is in use there. */
  readonly isFree: () => boolean
}

export type LiveList = {
  readonly news: News
  /** Adds the new rows, even while the pointer or the focus is on the list. */
  readonly bringIn: () => void
  /** Adds the new rows if rows may move now. */
  readonly settle: () => void
  /** Reads all pages in sight again, from the first one on. */
  readonly beginAnew: () => void
}

export const useLiveList = (place: Place, { isFree }: LiveListOptions): LiveList => {
  const queries = useQueryClient()
  const [told, setTold] = useState({ place, news: NO_NEWS })
  const news = told.place === place ? told.news : NO_NEWS
  const newest = useRef<ExecutionPage>(undefined)
  const heard = useRef<Heard>(NOTHING_HEARD)
  const looking = useRef<Throttled>(undefined)
  const firstKey = [...pagesKey(place), null]

  const bringIn = () => {
    const now = newest.current
    if (now !== undefined) showAnew(queries, place, now)
    newest.current = undefined
    setTold({ place, news: NO_NEWS })
    looking.current?.request()
  }
  const settle = () => {
    if (newest.current !== undefined && isFree()) bringIn()
  }

  /** Returns when to look again, in ms, if it failed and may succeed later. */
  const look = useEffectEvent(async (at: Place): Promise<number | undefined> => {
    const before = heard.current
    heard.current = NOTHING_HEARD
    try {
      const answer = await readExecutions(at, null)
      // Another list is shown, or none: the next visit reads everything again.
      if (at !== place || looking.current === undefined) return undefined
      // Changes that arrived during the read may be newer than the answer.
      const now = withChanges(answer, newestOf(heard.current.changes))
      retryPages(queries, at)
      forgetUnseen(queries, at, before)
      const shown = queries.getQueryData<ExecutionPage>(firstKey)
      const isAnew = shown === undefined || isFree() || hasOldCursor(queries, at)
      if (!isAnew) {
        newest.current = now
        queries.setQueryData<ExecutionPage>(firstKey, inPlace(shown, now))
        setTold({ place: at, news: newsIn(shown, now) })
        if (await refresh(queries, at, before)) return undefined
      }
      newest.current = undefined
      showAnew(queries, at, now)
      setTold({ place: at, news: NO_NEWS })
      return undefined
    } catch (error) {
      if (at === place) heard.current = both(before, heard.current)
      return lookAgainAfter(error)
    }
  })

  useEffect(() => {
    let again: ReturnType<typeof setTimeout> | undefined
    const throttle = throttled(
      async () => {
        clearTimeout(again)
        const afterMs = await look(place)
        if (afterMs !== undefined && looking.current === throttle) again = setTimeout(throttle.request, afterMs)
      },
      LOOK_EVERY_MS,
      LOOK_SELDOM_MS,
    )
    looking.current = throttle
    // Rows cached from an earlier visit may be out of date.
    heard.current = queries.getQueryData([...pagesKey(place), null]) === undefined ? NOTHING_HEARD : ANYTHING_HEARD
    if (heard.current.anything) throttle.request()
    return () => {
      throttle.stop()
      clearTimeout(again)
      looking.current = undefined
    }
  }, [place, queries])

  useChanges((batch) => {
    const relevant = batch.executions.filter((change) => concerns(place, change))
    const anything = batch.anything !== false
    if (!anything && relevant.length === 0) return
    heard.current = both(heard.current, { changes: relevant, anything })
    show(queries, place, newestOf(relevant))
    looking.current?.request()
  })

  const beginAnew = useCallback(() => {
    heard.current = ANYTHING_HEARD
    looking.current?.request()
  }, [])

  return { news, bringIn, settle, beginAnew }
}

/** Whether the list may contain the changed Execution. */
const concerns = ({ scope, filter }: Place, { projectId, programId }: LiveChange): boolean =>
  projectIdOf(projectId, scope.connection) === scope.projectId &&
  (filter.programId === undefined || filter.programId === programId)

const show = (queries: QueryClient, place: Place, changes: Changes): void => {
  queries.setQueriesData<ExecutionPage>({ queryKey: pagesKey(place) }, (page) => {
    const next = page === undefined ? undefined : withChanges(page, changes)
    // With undefined, the page stays the same object, so nothing renders again.
    return next === page ? undefined : next
  })
}

/** Shows only the new first page. The pages after it may overlap with it, so they are read again when they are needed. */
const showAnew = (queries: QueryClient, place: Place, now: ExecutionPage): void =>
  notifyManager.batch(() => {
    queries.setQueryData<Extent>(extentKey(place), extentFrom(now))
    queries.setQueryData<ExecutionPage>([...pagesKey(place), null], (shown) => keepingSame(shown, now))
  })

/** Whether a page may be out of date. */
const mayBeStale = ({ changes, anything }: Heard): ((page: ExecutionPage) => boolean) => {
  const changed = new Set(changes.map(({ executionId }) => executionId))
  return ({ items }) => anything || items.some(({ id }) => changed.has(id))
}

/** Forgets pages that are out of sight and may be out of date. They are read when they are needed. */
const forgetUnseen = (queries: QueryClient, place: Place, heard: Heard): void => {
  const cache = queries.getQueryCache()
  const isStale = mayBeStale(heard)
  for (const query of cache.findAll({ queryKey: pagesKey(place), type: 'inactive' })) {
    const page = query.state.data as ExecutionPage | undefined
    if (page !== undefined && isStale(page)) cache.remove(query)
  }
}

/**
 * Reads the pages after the first that the list uses again: those with a changed row, or all if any row may have changed.
 * Answers whether the service still knows their cursors.
 */
const refresh = async (queries: QueryClient, place: Place, heard: Heard): Promise<boolean> => {
  const isStale = mayBeStale(heard)
  for (const { queryKey, state } of queries.getQueryCache().findAll({ queryKey: pagesKey(place), type: 'active' })) {
    const cursor = queryKey.at(-1) as string | null
    const shown = state.data as ExecutionPage | undefined
    if (cursor === null || shown === undefined || !isStale(shown)) continue
    try {
      const now = await readExecutions(place, cursor)
      queries.setQueryData<ExecutionPage>(queryKey, (page) => (page === undefined ? undefined : inPlace(page, now)))
    } catch (error) {
      if (isOldCursor(error)) return false
      throw error
    }
  }
  return true
}
