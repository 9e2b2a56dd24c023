// One piece of work that keeps the process busy between two rounds of the event loop, for which workspaces take turns: so whatever else comes
// waits for one of them, and not for all that came at the same moment.

import { createFairQueue } from './fair-queue.ts'

/** Settles when it is its turn. The work is to begin at once, and to wait for nothing. */
export type LoopTurns = (workspaceId: string) => Promise<void>

export const createLoopTurns = (): LoopTurns => {
  const queue = createFairQueue<() => void>()
  const next = (): void => {
    queue.take()?.()
    if (queue.size > 0) setImmediate(next)
  }
  return (workspaceId) =>
    new Promise((resolve) => {
      queue.add(workspaceId, resolve)
      if (queue.size === 1) setImmediate(next)
    })
}
