import { queryOptions, useQuery } from '@tanstack/react-query'
import { queryKey } from '../../../api/query-keys.ts'
import { type Scope, useScope } from '../../../api/scope.ts'
import { triggersQuery } from '../../../api/trigger-queries.ts'
import { errorLine } from './detail.ts'
import type { FilterNames } from './filter-chips.ts'
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
  })

const triggerNameQuery = (scope: Scope, triggerId: string | undefined) => ({
  ...triggersQuery(scope),
  enabled: scope.connection.kind === 'hosted' && triggerId !== undefined,
  refetchInterval: false as const,
})

export const useFilterNames = ({ errorFingerprint, triggerId }: ListFilter): FilterNames => {
  const scope = useScope()
  const error = useQuery(errorLikeQuery(scope, errorFingerprint))
  const triggers = useQuery(triggerNameQuery(scope, triggerId))
  return {
    errorLike: error.data ?? undefined,
    triggerName: triggers.data?.items.find(({ id }) => id === triggerId)?.name,
  }
}
