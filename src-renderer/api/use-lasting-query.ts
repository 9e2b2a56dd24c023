import { type DefaultError, type QueryKey, useQuery, type UseQueryOptions } from '@tanstack/react-query'
import { useState } from 'react'

/**
 * For what a screen shows in its place: `error` lasts until the next answer. Each time that a failed query is asked again,
 * be it by a change of the runtime's or by the clock, it would otherwise be "loading", and take the focus away.
 */
export const useLastingQuery = <Answer, Data, Key extends QueryKey>(
  options: UseQueryOptions<Answer, DefaultError, Data, Key>,
) => {
  const { data, error: current, errorUpdateCount, refetch } = useQuery(options)
  const [last, setLast] = useState<Error | null>(null)
  const error = current ?? (data === undefined && errorUpdateCount > 0 ? last : null)
  if (error !== last) setLast(error)
  return { data, error, refetch }
}
