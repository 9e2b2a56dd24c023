import { queryOptions } from '@tanstack/react-query'
import { failureOf } from './failures.ts'
import { queryKey } from './query-keys.ts'
import type { Scope } from './scope.ts'

const REFRESH_MS = 2_000

/** What only a local runtime tells. null: this server has no such route. A hosted service is not asked. */
export const ofRuntime = async <Answer>(scope: Scope, ask: () => Promise<Answer>): Promise<Answer | null> => {
  if (scope.connection.kind === 'hosted') return null
  try {
    return await ask()
  } catch (error) {
    if (failureOf(error).kind === 'unsupported') return null
    throw error
  }
}

export const runtimeQuery = (scope: Scope) =>
  queryOptions({
    queryKey: queryKey({ ...scope, projectId: null }, 'runtime'),
    queryFn: ({ signal }) => ofRuntime(scope, () => scope.until(signal).anyProject.getRuntime()),
    refetchInterval: ({ state }) => (state.data === null ? false : REFRESH_MS),
  })
