// The requests that are open for each connection, so that they end when it is removed or its token replaced.

import type { Connections } from './connections.ts'

export type OpenExchange = {
  /** Aborts when the connection is removed or its token replaced. */
  readonly signal: AbortSignal
  end(): void
}

export const createOpenExchanges = ({ onChange }: Pick<Connections, 'onChange'>): ((id: string) => OpenExchange) => {
  const open = new Map<string, Set<AbortController>>()
  onChange(({ id, kind }) => {
    if (kind !== 'removed' && kind !== 'token') return
    for (const controller of [...(open.get(id) ?? [])]) controller.abort()
  })
  return (id) => {
    const controller = new AbortController()
    const ofConnection = open.get(id) ?? new Set<AbortController>()
    open.set(id, ofConnection.add(controller))
    return {
      signal: controller.signal,
      end: () => {
        ofConnection.delete(controller)
        if (ofConnection.size === 0 && open.get(id) === ofConnection) open.delete(id)
      },
    }
  }
}
