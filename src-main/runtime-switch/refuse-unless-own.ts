import type { RuntimeState } from '../preload/desktop-api.ts'
import { RefusedError } from '../refused-error.ts'

/** Refuses to stop a runtime that another process started. */
export const refuseUnlessOwn = (state: RuntimeState): void => {
  if (state.kind !== 'ready' || state.owned) return
  throw new RefusedError(
    'not_owned',
    `The runtime on port ${state.port} was started by another program (process ${state.pid}). Stop it there first.`,
  )
}
