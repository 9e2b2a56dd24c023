// The saved connections of one home, with a handler for its page's requests.

import type { Logger } from 'pino'
import { createProxiedSend, type ProxyEnvironment } from '../shared/proxied-send.ts'
import { connectionsFile, FAULT_NOTES, type OnFault } from './connections-file.ts'
import { type Connections, createConnections } from './connections.ts'
import { type ConnectionsHandler, createConnectionsHandler } from './create-connections-handler.ts'
import { createLoopbackSend, SILENCE_LIMIT_MS } from './loopback-send.ts'
import type { TokenKeeper } from './token-keeper.ts'

export type OfferedConnections = { readonly connections: Connections; readonly handle: ConnectionsHandler }

export const offerConnections = (home: {
  /** The file of the list. */
  readonly file: string
  readonly keeper: TokenKeeper
  /** Of this app. */
  readonly version: string
  readonly now: () => number
  readonly log: Logger
  /** Which proxy to use. */
  readonly environment: ProxyEnvironment
}): OfferedConnections => {
  const { file, keeper, version, now, log, environment } = home
  const onFault: OnFault = (fault, error) => log.warn({ err: error, file }, FAULT_NOTES[fault])
  const connections = createConnections(connectionsFile(file, onFault), keeper)
  const send = createLoopbackSend(createProxiedSend(environment, SILENCE_LIMIT_MS))
  const onUnexpected = (error: unknown): void => log.error({ err: error }, 'a request for a connection failed')
  return { connections, handle: createConnectionsHandler({ connections, send, version, now, onUnexpected }) }
}
