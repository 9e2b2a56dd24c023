// What Executions wait for, and failures grouped by cause.

import { queryOptions } from '@tanstack/react-query'
import type { ErrorGroup } from '#sdk/index.ts'
import { askEvery } from './ask-again.ts'
import { pagedListQuery } from './paged-list.ts'
import { SUMMARY_EVERY_MS } from './program-queries.ts'
import { queryKey } from './query-keys.ts'
import { absoluteTimes } from './relative-times.ts'
import type { Scope } from './scope.ts'
import { serviceNow } from './service-clock.ts'

export const waitingQuery = (scope: Scope) =>
  pagedListQuery(queryKey(scope, 'waiting'), (page, signal) => scope.until(signal).client.listWaiting(page))

export const errorsQuery = (scope: Scope) =>
  pagedListQuery(queryKey(scope, 'errors'), (page, signal) => scope.until(signal).client.listErrors(page))

const MINUTE_MS = 60_000

/** How many Executions failed since `finishedAfter`, which may be relative to now. `ErrorGroup.count` is of all time. */
export const failuresSinceQuery = (scope: Scope, { programId, fingerprint }: ErrorGroup, finishedAfter: string) =>
  queryOptions({
    queryKey: queryKey(scope, 'volume', programId, fingerprint, finishedAfter),
    queryFn: async ({ signal }) => {
      const filter = { programId, errorFingerprint: fingerprint, finishedAfter }
      const since = absoluteTimes(filter, serviceNow(scope.connection))
      return (await scope.until(signal).client.countExecutions(since)).counts.failed
    },
    staleTime: SUMMARY_EVERY_MS,
    // Failures leave a time that ends now, without any change.
    refetchInterval: askEvery(MINUTE_MS),
  })
