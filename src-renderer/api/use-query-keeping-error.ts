import { type DefaultError, type QueryKey, useQuery, useQueryClient, type UseQueryOptions } from '@tanstack/react-query'
import { useState } from 'react'
import { askAgain } from './ask-again.ts'

/**
 * Keeps a query's `error` until the next answer. react-query clears the error whenever it fetches a failed query again;
 * the screen would then show "Loading" each time, and lose the focus.
 */
export const useQueryKeepingError = <Answer, Data, Key extends QueryKey>(
  options: UseQueryOptions<Answer, DefaultError, Data, Key>,
) => {
  const { data, error: current, errorUpdateCount, isPlaceholderData } = useQuery(options)
  const queries = useQueryClient()
  const [last, setLast] = useState<Error | null>(null)
  const error = current ?? (data === undefined && errorUpdateCount > 0 ? last : null)
  if (error !== last) setLast(error)
  const refetch = (): void => void askAgain(queries, options.queryKey)
  return { queryKey: options.queryKey, data, error, isPlaceholderData, refetch }
}
