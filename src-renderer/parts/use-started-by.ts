import { useQuery } from '@tanstack/react-query'
import { useContext, useMemo } from 'react'
import type { RuntimeStatus } from '#sdk/index.ts'
import { OWN } from '../api/connection.ts'
import { runtimeQuery } from '../api/runtime-query.ts'
import { createScope, ScopeContext } from '../api/scope.ts'

/**
 * The commands that run `wes` and that started the runtime which serves this page; undefined where unknown. Kept after
 * the runtime has stopped. Asked for on local screens only.
 */
export const useStartedBy = (enabled: boolean): RuntimeStatus['startedBy'] => {
  const own = useMemo(() => createScope(OWN, null), [])
  const isLocal = useContext(ScopeContext)?.connection.kind === 'local'
  return useQuery({ ...runtimeQuery(own), enabled: enabled && isLocal, staleTime: 'static', refetchInterval: false })
    .data?.startedBy
}

/** The command that runs `wes`. */
export const useCli = (): string => useStartedBy(false)?.cli ?? 'wes'
