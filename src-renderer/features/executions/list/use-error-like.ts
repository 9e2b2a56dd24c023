import { queryOptions, useQuery } from '@tanstack/react-query'
import { queryKey } from '../../../api/query-keys.ts'
import { type Scope, useScope } from '../../../api/scope.ts'
import { errorLine } from './detail.ts'
import type { ListFilter } from './search-filter.ts'

/** Stays the same when its Executions are deleted, or other parts of the filter leave none. */
const errorLikeQuery = (scope: Scope, errorFingerprint: string | undefined) =>
  queryOptions({
    queryKey: queryKey(scope, 'executions', 'error-like', errorFingerprint),
    queryFn: async ({ signal }) => {
      const { items } = await scope.until(signal).client.listExecutions({ errorFingerprint, limit: 1 })
      return items[0]?.error === undefined ? null : errorLine(items[0].error)
    },
    enabled: errorFingerprint !== undefined,
    staleTime: 'static',
    retry: false,
  })

/** An error of the group that the filter names; undefined while none is known. */
export const useErrorLike = ({ errorFingerprint }: ListFilter): string | undefined =>
  useQuery(errorLikeQuery(useScope(), errorFingerprint)).data ?? undefined
