// Removes a workspace while processes of the service run: first what gives access to it, then its live Executions, then the rest.

import { pause } from '../../src-runtime/shared/pause.ts'
import type { WorkspaceRemoval } from '../store/store.ts'

/** No process knows a token that was removed for longer than 5 s. What it began with one has ended then, too, or finds nothing. */
const FORGOTTEN_AFTER_MS = 10_000
const LOOK_EVERY_MS = 1_000

/**
 * Goes on with a removal that was not ended: what ends this process at any moment leaves a workspace that accepts nothing. `onProgress` is
 * told how many Executions have been removed.
 */
export const removeWorkspace = async (
  removal: WorkspaceRemoval,
  id: string,
  onProgress: (executions: number) => void,
  forgottenAfterMs = FORGOTTEN_AFTER_MS,
): Promise<void> => {
  const beganAt = performance.now()
  let removed = 0
  const tell = (executions: number): void => {
    removed += executions
    if (executions > 0) onProgress(removed)
  }
  const removeAll = async (): Promise<void> => {
    for (let ended = 1; ended > 0; tell(ended)) ended = await removal.endExecutions(id)
    for (let isMore = true; isMore;) {
      const slice = await removal.removeSlice(id)
      isMore = slice.isMore
      tell(slice.executions)
    }
  }
  await removal.begin(id)
  for (;;) {
    await removeAll()
    const begunAgoMs = await removal.begunAgoMs(id)
    if (begunAgoMs === undefined) return
    // PostgreSQL's clock may have been set back since.
    const leftMs = forgottenAfterMs - Math.max(begunAgoMs, performance.now() - beganAt)
    if (leftMs <= 0 && (await removal.end(id))) return
    await pause(Math.min(LOOK_EVERY_MS, Math.max(leftMs, 100)))
  }
}
