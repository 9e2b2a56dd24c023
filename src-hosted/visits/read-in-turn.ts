// Lets a process read few Executions and attempts at once. A worker gets all work of another one at the same moment after a fault; if it
// read everything at once, most reads would wait for a connection until they fail, and be asked for again.

import type { EngineStore } from '../store/store.ts'
import { createTurns } from './in-turn.ts'

/** `most`: fewer than there are connections. The others are left to commits and outcomes. */
export const readInTurn = (store: EngineStore, most: number, waitMs?: number): EngineStore => {
  const inTurn = createTurns(most, store.workspaceOf, waitMs)
  return {
    ...store,
    load: (id, dropped) => inTurn(id, () => store.load(id), dropped),
    takeAttempt: (effect, ...rest) => inTurn(effect.executionId, () => store.takeAttempt(effect, ...rest)),
  }
}
