import { useQuery } from '@tanstack/react-query'
import type { RuntimeStatus } from '#sdk/index.ts'
import { runtimeQuery } from '../api/runtime-query.ts'
import { useScope } from '../api/scope.ts'

/**
 * The commands that run `wes` and that started the runtime; undefined where unknown. Kept after the runtime has
 * stopped.
 */
export const useStartedBy = (enabled: boolean): RuntimeStatus['startedBy'] =>
  useQuery({ ...runtimeQuery(useScope()), enabled, staleTime: 'static', refetchInterval: false }).data?.startedBy
