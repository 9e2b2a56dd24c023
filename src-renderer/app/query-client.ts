import { QueryClient } from '@tanstack/react-query'
import { askEvery } from '../api/ask-again.ts'
import { isPassing } from '../api/failures.ts'

/** Queries are refetched after a change, a reconnect or a retry; see live-cache.ts. */
export const createQueryClient = (): QueryClient =>
  new QueryClient({
    defaultOptions: {
      queries: {
        networkMode: 'always',
        staleTime: 1_000,
        gcTime: 60_000,
        refetchOnReconnect: false,
        refetchInterval: askEvery(false),
        retry: (failures, error) => failures < 2 && isPassing(error),
        retryDelay: (failures) => 200 * 2 ** failures,
      },
      mutations: { networkMode: 'always', retry: false },
    },
  })
