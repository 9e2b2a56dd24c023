import { queryOptions } from '@tanstack/react-query'
import { failureOf } from './failures.ts'
import { queryKey } from './query-keys.ts'
import type { Scope } from './scope.ts'

/** What ran these Executions of the scope's project again. `programId`: where all are of one Program, whose changes it follows. */
export const runsAgainQuery = (scope: Scope, ids: readonly string[], programId: string | null) =>
  queryOptions({
    queryKey: queryKey(scope, 'runs-again', programId, ids),
    queryFn: async ({ signal }) => {
      const { readRunsAgain } = await import('#sdk/runs-again.ts')
      return readRunsAgain(scope.until(signal).client.listExecutions, ids)
    },
    // A service of an older release lists all its Executions instead, which the client refuses.
    enabled: ({ state }) => ids.length > 0 && failureOf(state.error).code !== 'invalid_response',
  })
