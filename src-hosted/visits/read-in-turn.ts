// Lets a process read few Executions and attempts at once. A worker gets all work of another one at the same moment after a
// fault; if it read everything at once, most reads would wait for a connection until they fail, and be asked for again.

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
  const takePlace = (): Promise<() => void> =>
    places.take('', late).catch((error: unknown) => {
      throw new StoreUnavailableError(`other reads have not ended within ${waitMs} ms`, { cause: error })
    })

  const inTurn =
    <Args extends readonly unknown[], Result>(read: (...args: Args) => Promise<Result>) =>
    async (...args: Args): Promise<Result> => {
      const give = await takePlace()
      try {
        return await read(...args)
      } finally {
        give()
      }
    }

  return { ...store, load: inTurn(store.load), takeAttempt: inTurn(store.takeAttempt) }
}
