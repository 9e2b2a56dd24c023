// The saved connections of one home, with a handler for its page's requests.

import { Agent as HttpAgent } from 'node:http'
import { Agent as HttpsAgent } from 'node:https'
import type { Logger } from 'pino'
import { createSendRequest } from '../shared/send-request.ts'
import { connectionsFile, FAULT_NOTES, type OnFault } from './connections-file.ts'
import { type Connections, createConnections } from './connections.ts'
import { type ConnectionsHandler, createConnectionsHandler } from './create-connections-handler.ts'
import type { TokenKeeper } from './token-keeper.ts'

export type OfferedConnections = { readonly connections: Connections; readonly handle: ConnectionsHandler }

/** Longer than an answer may be held, and than a stream of events is silent. */
const SILENCE_LIMIT_MS = 100_000

export const offerConnections = (home: {
  /** The file of the list. */
  readonly file: string
  readonly keeper: TokenKeeper
  /** Of this app. */
  readonly version: string
  readonly now: () => number
  readonly log: Logger
}): OfferedConnections => {
  const { file, keeper, version, now, log } = home
  const onFault: OnFault = (fault, error) => log.warn({ err: error, file }, FAULT_NOTES[fault])
  const connections = createConnections(connectionsFile(file, onFault), keeper)
  const send = createSendRequest({
    http: new HttpAgent({ keepAlive: true }),
    https: new HttpsAgent({ keepAlive: true }),
    idleMs: SILENCE_LIMIT_MS,
  })
  const onUnexpected = (error: unknown): void => log.error({ err: error }, 'a request for a connection failed')
  return { connections, handle: createConnectionsHandler({ connections, send, version, now, onUnexpected }) }
}
