import { queryOptions } from '@tanstack/react-query'
import type { ExecutionSummary } from '#sdk/index.ts'
import { readRunsAgain } from '#sdk/runs-again.ts'
import { queryKey } from './query-keys.ts'
import type { Scope } from './scope.ts'

/** By the id of what they run again, newest first. An object, not a Map: read again and the same, it stays the same object, and draws nothing again. */
export type RunsById = Readonly<Record<string, readonly ExecutionSummary[]>>

/** What ran these Executions of the scope's project again. `programId`: where all are of one Program, whose changes it follows. */
export const runsAgainQuery = (scope: Scope, ids: readonly string[], programId: string | null) =>
  queryOptions({
    queryKey: queryKey(scope, 'runs-again', programId, ids),
    queryFn: async ({ signal }): Promise<RunsById> =>
      Object.fromEntries(await readRunsAgain(scope.until(signal).client.listExecutions, ids)),
    enabled: ids.length > 0,
  })
