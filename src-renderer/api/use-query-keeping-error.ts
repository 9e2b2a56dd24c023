import { type DefaultError, type QueryKey, useQuery, type UseQueryOptions } from '@tanstack/react-query'
import { useState } from 'react'

/**
 * A query whose `error` stays until the next answer. react-query clears it whenever a failed query is fetched again: the
 * screen would show "loading" each time, and lose the focus.
 */
export const useQueryKeepingError = <Answer, Data, Key extends QueryKey>(
  options: UseQueryOptions<Answer, DefaultError, Data, Key>,
) => {
  const { data, error: current, errorUpdateCount, refetch } = useQuery(options)
  const [last, setLast] = useState<Error | null>(null)
  const error = current ?? (data === undefined && errorUpdateCount > 0 ? last : null)
  if (error !== last) setLast(error)
  return { data, error, refetch }
}
