import type { QueryKey } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { QueryFault } from './query-fault.tsx'
import { QueryLoading } from './query-loading.tsx'

/** What `useQueryKeepingError` returns. */
type Query = { readonly queryKey: QueryKey; readonly error: unknown; readonly refetch: () => void }

type InsteadOfDataProps<Asked extends Query> = {
  /** Completes "Loading …" and "… could not be loaded": `the Programs`. */
  readonly what: string
  readonly query: Asked
}

/** Shows that a query is loading, or why it could not be loaded. */
export const InsteadOfData = ({ what, query: { queryKey, error, refetch } }: InsteadOfDataProps<Query>) =>
  error === null ? (
    <QueryLoading what={what} queryKey={queryKey} />
  ) : (
    <QueryFault what={what} error={error} onRetry={refetch} />
  )

/** Shows the data of a query, once there is any. */
export const QueryContent = <Data,>({
  what,
  query,
  children,
}: InsteadOfDataProps<Query & { readonly data: Data | undefined }> & {
  readonly children: (data: Data) => ReactNode
}) => (query.data === undefined ? <InsteadOfData what={what} query={query} /> : children(query.data))
