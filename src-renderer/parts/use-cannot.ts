import { type Refusal, type Role, roleCannot } from '../api/capabilities.ts'
import { useConnection } from '../api/connection.ts'
import { useRole } from '../api/role.ts'
import { useDesktopRuntime } from './desktop-state.ts'
import { withoutRuntime } from './without-runtime.ts'

/**
 * Why the user may change nothing here that needs this role: the token has another one, or in the desktop app no runtime runs, and
 * what is shown is from before.
 */
export const useCannot = (needed: Role): Refusal => {
  const byRole = roleCannot(needed, useRole())
  const runtime = useDesktopRuntime()
  const isAway = useConnection().kind === 'local' && runtime !== null && runtime.kind !== 'ready'
  return byRole ?? (isAway ? withoutRuntime(runtime).title : undefined)
}
