// Whether the runtime that serves this page in a browser answers, for screens of hosted services.

import { queryOptions } from '@tanstack/react-query'
import { OWN } from './connection.ts'
import { queryKey } from './query-keys.ts'

const ASK_EVERY_MS = 10_000

export const localHealthQuery = queryOptions({
  queryKey: queryKey({ connection: OWN, projectId: null }, 'health'),
  queryFn: async ({ signal }) => {
    try {
      return (await fetch('/healthz', { signal })).ok
    } catch {
      return false
    }
  },
  refetchInterval: ASK_EVERY_MS,
})
