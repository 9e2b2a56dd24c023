import { queryOptions } from '@tanstack/react-query'
import { failureOf } from './failures.ts'
import { queryKey } from './query-keys.ts'
import type { Scope } from './scope.ts'

const REFRESH_MS = 2_000

/** null: this server has no such route. A hosted service is not asked. */
export const runtimeQuery = (scope: Scope) =>
  queryOptions({
    queryKey: queryKey({ ...scope, projectId: null }, 'runtime'),
    queryFn: async ({ signal }) => {
      if (scope.connection.kind === 'hosted') return null
      try {
        return await scope.until(signal).anyProject.getRuntime()
      } catch (error) {
        if (failureOf(error).kind === 'unsupported') return null
        throw error
      }
    },
    refetchInterval: ({ state }) => (state.data === null ? false : REFRESH_MS),
  })
