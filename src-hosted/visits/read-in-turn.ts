// Lets a process read few Executions and attempts at once. A worker gets all work of another one at the same moment after a
// fault; if it read everything at once, most reads would wait for a connection until they fail, and be asked for again.

import { createFairPlaces } from '../../src-runtime/shared/fair-places.ts'
import type { EngineStore } from '../store/store.ts'

/** `most`: fewer than there are connections. The others are left to commits and outcomes. */
export const readInTurn = (store: EngineStore, most: number): EngineStore => {
  const places = createFairPlaces(most, () => most)

  const inTurn =
    <Args extends readonly unknown[], Result>(read: (...args: Args) => Promise<Result>) =>
    async (...args: Args): Promise<Result> => {
      const give = await places.take('')
      try {
        return await read(...args)
      } finally {
        give()
      }
    }

  return { ...store, load: inTurn(store.load), takeAttempt: inTurn(store.takeAttempt) }
}
