// How many attempts of a workspace run at once in a worker; further ones wait in order.

export type WorkspaceTurns = {
  /** Rejects when the signal aborts first. Call the result once, at the end. */
  take(workspaceId: string, signal: AbortSignal): Promise<() => void>
}

export const createWorkspaceTurns = (most: (workspaceId: string) => number): WorkspaceTurns => {
  const running = new Map<string, number>()
  const waiting = new Map<string, Set<() => void>>()

  const begin = (workspaceId: string): (() => void) => {
    running.set(workspaceId, (running.get(workspaceId) ?? 0) + 1)
    return () => end(workspaceId)
  }

  const end = (workspaceId: string): void => {
    const left = (running.get(workspaceId) ?? 1) - 1
    if (left > 0) running.set(workspaceId, left)
    else running.delete(workspaceId)
    const [next] = waiting.get(workspaceId) ?? []
    next?.()
  }

  return {
    take: (workspaceId, signal) =>
      new Promise((resolve, reject) => {
        const queue = waiting.get(workspaceId) ?? new Set()
        if (queue.size === 0 && (running.get(workspaceId) ?? 0) < most(workspaceId)) return resolve(begin(workspaceId))
        const leave = (): void => {
          queue.delete(go)
          if (queue.size === 0) waiting.delete(workspaceId)
          signal.removeEventListener('abort', abort)
        }
        const abort = (): void => {
          leave()
          reject(signal.reason as Error)
        }
        const go = (): void => {
          leave()
          resolve(begin(workspaceId))
        }
        if (signal.aborted) return abort()
        queue.add(go)
        waiting.set(workspaceId, queue)
        signal.addEventListener('abort', abort, { once: true })
      }),
  }
}
