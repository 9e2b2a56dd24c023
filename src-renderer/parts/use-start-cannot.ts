import type { Refusal } from '../api/capabilities.ts'
import { useConnection } from '../api/connection.ts'
import { useRoleCannot } from '../api/role.ts'
import { useDesktopRuntime } from './desktop-state.ts'
import { withoutRuntime } from './without-runtime.ts'

/** Why no Execution can be started here: the token's role, or in the desktop app that no runtime runs. */
export const useStartCannot = (): Refusal => {
  const byRole = useRoleCannot('write')
  const runtime = useDesktopRuntime()
  const isAway = useConnection().kind === 'local' && runtime !== null && runtime.kind !== 'ready'
  return byRole ?? (isAway ? withoutRuntime(runtime).title : undefined)
}
