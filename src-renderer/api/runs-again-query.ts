import { queryOptions } from '@tanstack/react-query'
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
    enabled: ids.length > 0,
  })
