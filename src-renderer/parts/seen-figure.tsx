// A figure of a row that is read once the row is in view.

import type { DefaultError, QueryKey, UseQueryOptions } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { failureOf } from '../api/failures.ts'
import { useQueryKeepingError } from '../api/use-query-keeping-error.ts'
import { useSeen } from './use-seen.ts'

type SeenFigureProps<Data, Key extends QueryKey> = {
  readonly query: UseQueryOptions<Data, DefaultError, Data, Key>
  readonly show: (data: Data) => ReactNode
}

export const SeenFigure = <Data, Key extends QueryKey>({ query, show }: SeenFigureProps<Data, Key>) => {
  const [seen, watch] = useSeen()
  const { data, error } = useQueryKeepingError({ ...query, enabled: seen })
  return <span ref={watch}>{data === undefined ? <Unknown error={error} /> : show(data)}</span>
}

/** A figure that is loading, or why it could not be loaded. */
const Unknown = ({ error }: { readonly error: unknown }) => {
  if (error === null) return <span className="text-faint">…</span>
  return (
    <span title={failureOf(error).message} className="text-failed">
      unknown
    </span>
  )
}
