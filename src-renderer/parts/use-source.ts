import { useQuery } from '@tanstack/react-query'
import type { SourceStatus } from '#sdk/index.ts'
import { useProgramsInterval } from '../api/live.ts'
import { sourceQuery } from '../api/program-queries.ts'
import { shownProjectId, useScope } from '../api/scope.ts'
import { useDesktopRuntime } from './desktop-state.ts'

/**
 * The project folder; null where there is none, undefined until it is known. A desktop runtime without a chosen folder
 * names its data directory, which is not meant for sources, and does not watch it.
 */
export const useSource = (): SourceStatus | null | undefined => {
  const interval = useProgramsInterval()
  const { data } = useQuery({
    ...sourceQuery(useScope()),
    refetchInterval: ({ state }) => (state.data === null ? false : interval),
  })
  const runtime = useDesktopRuntime()
  const hasNone =
    runtime?.kind === 'ready'
      ? runtime.owned && runtime.projectFolder === null
      : runtime !== null && data?.watching === false
  return hasNone ? null : data
}

/** The project folder, if its Programs belong to the project that is shown; null if they belong to another one. */
export const useShownSource = (): SourceStatus | null | undefined => {
  const scope = useScope()
  const source = useSource()
  const isElsewhere = source?.projectId !== undefined && source.projectId !== shownProjectId(scope)
  return isElsewhere ? null : source
}
