import { type DefaultError, type QueryKey, useQuery, useQueryClient, type UseQueryOptions } from '@tanstack/react-query'
import { useState } from 'react'
import { askAgain } from './ask-again.ts'

type Answers = { readonly data: unknown; readonly error: Error | null; readonly errorUpdateCount: number }

/**
 * A query's error, until the next answer. react-query clears the error whenever it fetches a failed query again; the
 * screen would then show "Loading" each time, and lose the focus.
 */
export const useKeptError = ({ data, error: current, errorUpdateCount }: Answers): Error | null => {
  const [last, setLast] = useState<Error | null>(null)
  const error = current ?? (data === undefined && errorUpdateCount > 0 ? last : null)
  if (error !== last) setLast(error)
  return error
}

export const useQueryKeepingError = <Answer, Data, Key extends QueryKey>(
  options: UseQueryOptions<Answer, DefaultError, Data, Key>,
) => {
  const query = useQuery(options)
  const { data, isPlaceholderData } = query
  const queries = useQueryClient()
  const error = useKeptError(query)
  const refetch = (): void => void askAgain(queries, options.queryKey)
  return { queryKey: options.queryKey, data, error, isPlaceholderData, refetch }
}
