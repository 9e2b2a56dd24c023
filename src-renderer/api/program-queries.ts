// What the screens about Programs ask: how much they run, how often they fail, and what their sources say.

import { queryOptions } from '@tanstack/react-query'
import type { ExecutionCounts, ExecutionStatus } from '#sdk/index.ts'
import { isTerminal } from './capabilities.ts'
import { failureOf } from './failures.ts'
import { queryKey } from './query-keys.ts'
import type { Scope } from './scope.ts'

/** Changes of Executions come by the hundred; what they add up to is worth a look now and then. */
const SUMMARY_STALE_MS = 5_000

export type Volume = {
  readonly total: number
  readonly active: number
  readonly failed: number
  readonly ended: number
}

export const volumeOf = ({ counts }: ExecutionCounts): Volume => {
  const entries = Object.entries(counts) as [ExecutionStatus, number][]
  const sum = (which: (status: ExecutionStatus) => boolean) =>
    entries.reduce((total, [status, number]) => (which(status) ? total + number : total), 0)
  return {
    total: sum(() => true),
    active: sum((status) => !isTerminal(status)),
    failed: counts.failed,
    ended: sum((status) => isTerminal(status)),
  }
}

/** Of one Program, or of one of its versions. */
export const volumeQuery = (scope: Scope, programId: string, version?: number) =>
  queryOptions({
    queryKey: queryKey(scope, 'counts', 'volume', programId, version ?? null),
    queryFn: async () => volumeOf(await scope.client.countExecutions({ programId, version })),
    staleTime: SUMMARY_STALE_MS,
  })

export const lastRunQuery = (scope: Scope, programId: string) =>
  queryOptions({
    queryKey: queryKey(scope, 'counts', 'last-run', programId),
    queryFn: async () => (await scope.client.listExecutions({ programId, limit: 1 })).items[0] ?? null,
    staleTime: SUMMARY_STALE_MS,
  })

/** null: this server compiles no sources. Asked again and again, because saving a file tells nobody. */
export const sourceQuery = (scope: Scope) =>
  queryOptions({
    queryKey: queryKey(scope, 'source'),
    queryFn: async () => {
      try {
        return await scope.client.getSource()
      } catch (error) {
        if (failureOf(error).kind === 'unsupported') return null
        throw error
      }
    },
    refetchInterval: ({ state }) => (state.data === null ? false : SOURCE_POLL_MS),
  })

export const SOURCE_POLL_MS = 1_000

/** A version never changes, and neither does what it was deployed as. */
export const artifactQuery = (scope: Scope, programId: string, number: number) =>
  queryOptions({
    queryKey: queryKey(scope, 'artifact', programId, number),
    queryFn: () => scope.client.getProgramArtifact(programId, number),
    staleTime: Number.POSITIVE_INFINITY,
  })
