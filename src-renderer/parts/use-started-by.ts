import { useQuery } from '@tanstack/react-query'
import { useContext, useMemo } from 'react'
import type { RuntimeStatus } from '#sdk/index.ts'
import { OWN, useConnection } from '../api/connection.ts'
import { useLiveness } from '../api/live.ts'
import { desktop } from '../desktop.ts'
import { runtimeQuery } from '../api/runtime-query.ts'
import { createScope, ScopeContext } from '../api/scope.ts'
import { shellWord } from './snippets/shell.ts'

/**
 * The commands that run `wes` and that started the runtime which serves this page; undefined where unknown. Kept after
 * the runtime has stopped. Asked for on local screens only.
 */
export const useStartedBy = (enabled: boolean): RuntimeStatus['startedBy'] => {
  const isLocal = useContext(ScopeContext)?.connection.kind === 'local'
  return useOwnRuntime(enabled && isLocal).data?.startedBy
}

/** Where the data is that cannot be stored, while the disk of the shown local runtime is full. */
export const useFullDisk = (): string | undefined => {
  const liveness = useLiveness()
  const isLocal = useConnection().kind === 'local'
  const isAnswered = liveness === 'live' || liveness === 'polling'
  const { data } = useOwnRuntime(isLocal && isAnswered)
  return isLocal && isAnswered && data?.diskIsFull === true ? data.dataDir : undefined
}

const useOwnRuntime = (enabled: boolean) => {
  const own = useMemo(() => createScope(OWN, null), [])
  return useQuery({ ...runtimeQuery(own), enabled, staleTime: Infinity, refetchInterval: false })
}

/**
 * The command that runs `wes` beside the runtime of this page; undefined where its user may have none: in the desktop app, unless a
 * terminal started the runtime.
 */
export const useLocalCli = (): string | undefined =>
  useStartedBy(true)?.cli ?? (desktop === undefined ? 'wes' : undefined)

/** Whether `useLocalCli` may soon tell another command. */
export const useIsLocalCliAsked = (): boolean => {
  const isLocal = useContext(ScopeContext)?.connection.kind === 'local'
  return useOwnRuntime(isLocal).isLoading
}

/** The command that runs `wes`. */
export const useCli = (): string => useStartedBy(false)?.cli ?? 'wes'

/** The command that prints a link to the page of the runtime that serves this one. */
export const useLinkCommand = (): string => {
  const { startedBy, dataDir } = useOwnRuntime(OWN.kind === 'local').data ?? {}
  const isElsewhere = startedBy?.start.includes(' --data-dir ') === true && dataDir !== undefined
  return [startedBy?.cli ?? 'wes', 'link', ...(isElsewhere ? ['--data-dir', shellWord(dataDir)] : [])].join(' ')
}
