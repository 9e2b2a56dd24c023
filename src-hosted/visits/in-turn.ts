// Bounds how much of what messages ask for is done at once in this process. Workspaces take turns: one may have thousands of timers that
// are due at the same moment.

import { createFairPlaces, unlessAborted, unlessEither, unlessLate } from '../../src-runtime/shared/fair-places.ts'
import { StoreUnavailableError } from '../../src-runtime/shared/store-errors.ts'
import type { WorkspaceOf } from '../store/workspace-of.ts'

/**
 * A database that is slow does thousands in this time. While it is away, each takes seconds to fail, and the last ones would wait for
 * minutes: also a worker that stops waits for them. Restate asks for their work again.
 */
const WAIT_MS = 30_000

/** Does what the message about `id` asks for, once it is its turn. Rejects if `dropped` aborts before. */
export type InTurn = <Result>(id: string, act: () => Promise<Result>, dropped?: AbortSignal) => Promise<Result>

/** Others before it have not ended in time. */
class WaitedTooLongError extends StoreUnavailableError {}

export const createTurns = (most: number, workspaceOf: WorkspaceOf, waitMs = WAIT_MS): InTurn => {
  const places = createFairPlaces(most, () => most)
  const late = unlessLate(waitMs, '')
  /** A message names no workspace, so that of one that has to wait is asked for. */
  const takePlace = async (id: string, dropped: AbortSignal | undefined): Promise<() => void> => {
    const workspace = places.isFull ? String(await workspaceOf(id)) : ''
    const unless = dropped === undefined ? late : unlessEither(late, unlessAborted(dropped))
    return places.take(workspace, unless).catch((error: unknown) => {
      dropped?.throwIfAborted()
      throw new WaitedTooLongError(`others before it have not ended within ${waitMs} ms`, { cause: error })
    })
  }
  return async (id, act, dropped) => {
    const give = await takePlace(id, dropped)
    try {
      return await act()
    } finally {
      give()
    }
  }
}
