// Whose turn it is to use a connection: workspaces take turns, so one that asks for much delays another by a statement or
// two, not by all that it asks for.

import { createFairQueue } from '../../src-runtime/shared/fair-queue.ts'

export type ConnectionTurns = {
  /** Rejects when there was none in time. Call the result once, at the end. */
  take(workspace: string): Promise<() => void>
  readonly waiting: number
}

type Waiting = { readonly go: () => void }

/** `share`: how many of the connections one workspace may use at once. */
export const createConnectionTurns = (options: {
  readonly connections: number
  readonly share: number
  readonly limitMs: number
}): ConnectionTurns => {
  const { connections, share, limitMs } = options
  const queue = createFairQueue<Waiting>()
  /** By workspace; those that use none are left out. */
  const used = new Map<string, number>()
  let free = connections

  const hasRoom = (workspace: string): boolean => (used.get(workspace) ?? 0) < share

  const occupy = (workspace: string): (() => void) => {
    free -= 1
    used.set(workspace, (used.get(workspace) ?? 0) + 1)
    return () => give(workspace)
  }

  const give = (workspace: string): void => {
    const left = (used.get(workspace) ?? 1) - 1
    if (left > 0) used.set(workspace, left)
    else used.delete(workspace)
    free += 1
    queue.take(hasRoom)?.go()
  }

  return {
    take: (workspace) => {
      if (free > 0 && hasRoom(workspace)) return Promise.resolve(occupy(workspace))
      return new Promise((resolve, reject) => {
        const waiting: Waiting = {
          go: () => {
            clearTimeout(late)
            resolve(occupy(workspace))
          },
        }
        const late = setTimeout(() => {
          queue.remove(workspace, waiting)
          reject(new Error(`no connection was free within ${limitMs} ms`))
        }, limitMs)
        queue.add(workspace, waiting)
      })
    },
    get waiting() {
      return queue.size
    },
  }
}
