import { type QueryKey, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { Button } from '../ui/button.tsx'
import { Loading } from '../ui/loading.tsx'

/** Until the answer to a query comes. When none does, it can be given up and asked for anew. */
export const QueryLoading = ({ what, queryKey }: { readonly what: string; readonly queryKey: QueryKey }) => {
  const queries = useQueryClient()
  const [tries, setTries] = useState(1)
  const askAgain = () => {
    setTries(tries + 1)
    // A refetch would join the request that nobody answers.
    void queries.resetQueries({ queryKey, exact: true })
  }
  return <Loading key={tries} what={what} wayOut={<Button onClick={askAgain}>Try again</Button>} />
}
