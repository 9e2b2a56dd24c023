// The Triggers of a project, and what they started. Only hosted services have them.

import { queryOptions } from '@tanstack/react-query'
import { queryKey } from './query-keys.ts'
import { projectOf, type Scope } from './scope.ts'

/** No change of an Execution tells of a Trigger that failed to start one. */
const LOOK_MS = 5_000
const FIRINGS = 20

/** With the ETag that a replacement of the list needs. */
export const triggersQuery = (scope: Scope) =>
  queryOptions({
    queryKey: queryKey(scope, 'triggers'),
    queryFn: ({ signal }) => scope.until(signal).client.listTriggers(projectOf(scope)),
    enabled: scope.connection.kind === 'hosted',
    refetchInterval: LOOK_MS,
  })

/** The last Executions that a Trigger started. `programId` is the one of the Trigger. */
export const firingsQuery = (scope: Scope, programId: string, triggerId: string) =>
  queryOptions({
    queryKey: queryKey(scope, 'firings', programId, triggerId),
    queryFn: async ({ signal }) =>
      (await scope.until(signal).client.listExecutions({ triggerId, limit: FIRINGS })).items,
  })
