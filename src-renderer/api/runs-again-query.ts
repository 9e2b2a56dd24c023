import { queryOptions } from '@tanstack/react-query'
import type { ExecutionSummary } from '#sdk/index.ts'
import { readRunsAgain, type RunsAgain } from '#sdk/runs-again.ts'
import { queryKey } from './query-keys.ts'
import type { Scope } from './scope.ts'

/** As a list, which stays the same object, and so draws nothing again, where nothing has changed. */
type Entries = readonly (readonly [string, readonly ExecutionSummary[]])[]

const mapOf = (entries: Entries): RunsAgain => new Map(entries)

/** What ran these Executions of the scope's project again. `programId`: where all are of one Program, whose changes it follows. */
export const runsAgainQuery = (scope: Scope, ids: readonly string[], programId: string | null) =>
  queryOptions({
    queryKey: queryKey(scope, 'runs-again', programId, ids),
    queryFn: async ({ signal }): Promise<Entries> => [
      ...(await readRunsAgain(scope.until(signal).client.listExecutions, ids)),
    ],
    enabled: ids.length > 0,
    select: mapOf,
  })
