// The service's counts of matching Executions; undefined where it does not count.

import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import type { ExecutionCounts, ExecutionStatus } from '#sdk/index.ts'
import { executionCountsQuery } from '../../../api/executions-query.ts'
import { keptData } from '../../../api/kept-data.ts'
import { useScope } from '../../../api/scope.ts'
import { type ListFilter, STATUSES } from './search-filter.ts'

/** The filter without unknown values, statuses and `needsAttention`: the counts beside those choices ignore them. */
const unchosen = ({ status: _, notStatus: __, needsAttention: ___, unknown: ____, ...rest }: ListFilter): ListFilter =>
  rest

const useRestCounts = (filter: ListFilter) => {
  const scope = useScope()
  const rest = useMemo(() => unchosen(filter), [filter])
  return useQuery({ ...executionCountsQuery({ scope, filter: rest }), placeholderData: keptData(scope) })
}

/** Counts for the filter without its statuses and `needsAttention`. */
export const useCounts = (filter: ListFilter): ExecutionCounts | undefined => useRestCounts(filter).data

/** The count of the whole filter. `settled`: it belongs to this filter, not to the previous one. */
export const useTotal = (filter: ListFilter): { readonly total: number | undefined; readonly settled: boolean } => {
  const scope = useScope()
  const { data: counts, isPlaceholderData } = useRestCounts(filter)
  const known = counts === undefined ? undefined : totalIn(counts, filter)
  const own = useQuery({
    ...executionCountsQuery({ scope, filter }),
    enabled: counts !== undefined && known === undefined,
  }).data
  return { total: known ?? (own && sumOf(own, STATUSES)), settled: !isPlaceholderData }
}

/** undefined when both statuses and `needsAttention` are set, which these counts cannot combine. */
export const totalIn = (counts: ExecutionCounts, filter: ListFilter): number | undefined => {
  const { status = STATUSES, notStatus = [], needsAttention, unknown } = filter
  if (unknown !== undefined) return 0
  const chosen = status.filter((one) => !notStatus.includes(one))
  if (needsAttention !== true) return sumOf(counts, chosen)
  return chosen.length === STATUSES.length ? counts.needsAttention : undefined
}

export const sumOf = ({ counts }: ExecutionCounts, statuses: readonly ExecutionStatus[]): number =>
  statuses.reduce((sum, status) => sum + counts[status], 0)
