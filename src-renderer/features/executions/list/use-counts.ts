// How many Executions match, as the service counts them. Everything here is undefined where it does not.

import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import type { ExecutionCounts, ExecutionStatus } from '#sdk/index.ts'
import { executionCountsQuery } from '../../../api/executions-query.ts'
import { useScope } from '../../../api/scope.ts'
import { type ListFilter, STATUSES } from './search-filter.ts'

/** What the statuses and `needsAttention` are chosen from: the counts beside the choices leave the choices out. */
const unchosen = ({ status: _, notStatus: __, needsAttention: ___, ...rest }: ListFilter): ListFilter => rest

const useRestCounts = (filter: ListFilter) => {
  const scope = useScope()
  const rest = useMemo(() => unchosen(filter), [filter])
  return useQuery({ ...executionCountsQuery({ scope, filter: rest }), placeholderData: keepPreviousData })
}

/** Of the filter without its statuses and `needsAttention`. */
export const useCounts = (filter: ListFilter): ExecutionCounts | undefined => useRestCounts(filter).data

/** How many match the whole filter. `settled`: it is the count of this filter, and not of the one before. */
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

/** undefined when the counts do not tell, because statuses and `needsAttention` were chosen both. */
export const totalIn = (counts: ExecutionCounts, filter: ListFilter): number | undefined => {
  const { status = STATUSES, notStatus = [], needsAttention } = filter
  const chosen = status.filter((one) => !notStatus.includes(one))
  if (needsAttention !== true) return sumOf(counts, chosen)
  return chosen.length === STATUSES.length ? counts.needsAttention : undefined
}

export const sumOf = ({ counts }: ExecutionCounts, statuses: readonly ExecutionStatus[]): number =>
  statuses.reduce((sum, status) => sum + counts[status], 0)
