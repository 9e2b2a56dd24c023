// Lets a process read few Executions and attempts at once, of which workspaces take turns. A worker gets all work of another
// one at the same moment after a fault; if it read everything at once, most reads would wait for a connection until they fail,
// and be asked for again. And a workspace may have thousands of timers that are due at the same moment.

import { createFairPlaces, unlessLate } from '../../src-runtime/shared/fair-places.ts'
import { StoreUnavailableError } from '../../src-runtime/shared/store-errors.ts'
import type { EngineStore } from '../store/store.ts'

/**
 * A database that is slow gets through thousands of reads in this time. While it is away, each read takes seconds to fail, and
 * the last ones would wait for minutes: also a worker that stops waits for them. Restate asks for their work again.
 */
const WAIT_MS = 30_000

/** `most`: fewer than there are connections. The others are left to commits and outcomes. */
export const readInTurn = (store: EngineStore, most: number, waitMs = WAIT_MS): EngineStore => {
  const places = createFairPlaces(most, () => most)
  const late = unlessLate(waitMs, '')
  /** A message names no workspace, so that of a read that has to wait is asked for. */
  const takePlace = async (executionId: string): Promise<() => void> => {
    const workspace = places.isFull ? String(await store.workspaceOf(executionId)) : ''
    return places.take(workspace, late).catch((error: unknown) => {
      throw new StoreUnavailableError(`other reads have not ended within ${waitMs} ms`, { cause: error })
    })
  }

  const inTurn =
    <Of, Rest extends readonly unknown[], Result>(
      idOf: (of: Of) => string,
      read: (of: Of, ...rest: Rest) => Promise<Result>,
    ) =>
    async (of: Of, ...rest: Rest): Promise<Result> => {
      const give = await takePlace(idOf(of))
      try {
        return await read(of, ...rest)
      } finally {
        give()
      }
    }

  return {
    ...store,
    load: inTurn((id) => id, store.load),
    takeAttempt: inTurn(({ executionId }) => executionId, store.takeAttempt),
  }
}
