import type { QueryKey } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { QueryFault } from './query-fault.tsx'
import { QueryLoading } from './query-loading.tsx'

/** What `useQueryKeepingError` returns. */
type Query<Data> = {
  readonly queryKey: QueryKey
  readonly data: Data | undefined
  readonly error: unknown
  readonly refetch: () => void
}

/** Shows the data of a query. Until there is any, shows that it is loading, or why it could not be loaded. */
export const QueryContent = <Data,>({
  what,
  query,
  children,
}: {
  /** Completes "Loading …" and "… could not be loaded": `the Programs`. */
  readonly what: string
  readonly query: Query<Data>
  readonly children: (data: Data) => ReactNode
}) => {
  if (query.data !== undefined) return children(query.data)
  if (query.error === null) return <QueryLoading what={what} queryKey={query.queryKey} />
  return <QueryFault what={what} error={query.error} onRetry={query.refetch} />
}
