import { QueryClient } from '@tanstack/react-query'
import { isPassing } from '../api/failures.ts'

/** Data is kept fresh by the runtime's changes, not by guessing: a refetch follows a change, a reconnect, a retry. */
export const createQueryClient = (): QueryClient =>
  new QueryClient({
    defaultOptions: {
      queries: {
        networkMode: 'always',
        staleTime: 1_000,
        gcTime: 60_000,
        refetchOnReconnect: false,
        retry: (failures, error) => failures < 2 && isPassing(error),
        retryDelay: (failures) => 200 * 2 ** failures,
      },
      mutations: { networkMode: 'always', retry: false },
    },
  })
