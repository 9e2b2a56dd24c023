// The requests that are open for each connection, so that they end when it is removed or its token replaced.

import type { Connections } from './connections.ts'

export type OpenExchange = {
  /** Aborts when the connection changes so that the exchange may not go on. */
  readonly signal: AbortSignal
  end(): void
}

/** Streams have no end of their own; other requests may end with the token that they began with. */
export type ExchangeKind = 'stream' | 'request'

export const createOpenExchanges = ({
  onChange,
}: Pick<Connections, 'onChange'>): ((id: string, kind: ExchangeKind) => OpenExchange) => {
  const open = new Map<string, Map<AbortController, ExchangeKind>>()
  onChange(({ id, kind }) => {
    if (kind !== 'removed' && kind !== 'token') return
    for (const [controller, what] of [...(open.get(id) ?? [])]) {
      if (kind === 'removed' || what === 'stream') controller.abort()
    }
  })
  return (id, kind) => {
    const controller = new AbortController()
    const ofConnection = open.get(id) ?? new Map<AbortController, ExchangeKind>()
    open.set(id, ofConnection.set(controller, kind))
    return {
      signal: controller.signal,
      end: () => {
        ofConnection.delete(controller)
        if (ofConnection.size === 0 && open.get(id) === ofConnection) open.delete(id)
      },
    }
  }
}
