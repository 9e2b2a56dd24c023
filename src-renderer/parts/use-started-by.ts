import { useQuery } from '@tanstack/react-query'
import type { RuntimeStatus } from '#sdk/index.ts'
import { runtimeQuery } from '../api/runtime-query.ts'
import { useScope } from '../api/scope.ts'

/** How the runtime's user calls `wes`, and started it; undefined where that is not known. It stays known when it is gone. */
export const useStartedBy = (enabled: boolean): RuntimeStatus['startedBy'] =>
  useQuery({ ...runtimeQuery(useScope()), enabled, staleTime: 'static', refetchInterval: false }).data?.startedBy
