import { projectIdOf, useScope } from '../api/scope.ts'
import { useDesktopRuntime } from './desktop-state.ts'
import { DEFAULT_URL } from './default-address.ts'
import type { SnippetTarget } from './snippets/request.ts'
import { useCli } from './use-started-by.ts'

/** The address of the service for a program outside this page. */
export const useSnippetTarget = (projectId?: string): SnippetTarget => {
  const scope = useScope()
  const runtime = useDesktopRuntime()
  const chosen = projectIdOf(projectId ?? scope.projectId ?? 'default', scope.connection)
  const { kind, address } = scope.connection
  const isLocal = kind === 'local'
  return {
    url: isLocal ? localUrl(runtime?.kind === 'ready' ? runtime.url : undefined) : (address ?? window.location.origin),
    projectId: chosen ?? undefined,
    needsToken: !isLocal,
    cli: useCli(),
  }
}

/** Other programs cannot reach the origin of the desktop app's page. */
const localUrl = (runtimeUrl: string | undefined): string => {
  if (runtimeUrl !== undefined) return runtimeUrl
  return window.location.protocol.startsWith('http') ? window.location.origin : DEFAULT_URL
}
