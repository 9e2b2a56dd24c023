import { type QueryKey, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { askAgain } from '../api/ask-again.ts'
import { Button } from '../ui/button.tsx'
import { Loading } from '../ui/loading.tsx'
import { RuntimeStopped, useIsRuntimeDown } from './runtime-stopped.tsx'

/**
 * Says that a query is loading, or that no runtime can answer it. After ten seconds the user can send the request again.
 */
export const QueryLoading = ({ what, queryKey }: { readonly what: string; readonly queryKey: QueryKey }) => {
  const queries = useQueryClient()
  const [tries, setTries] = useState(1)
  const tryAgain = () => {
    setTries(tries + 1)
    void askAgain(queries, queryKey)
  }
  if (useIsRuntimeDown()) return <RuntimeStopped failure={undefined} />
  return <Loading key={tries} what={what} wayOut={<Button onClick={tryAgain}>Try again</Button>} />
}
