// The saved connections of the app: requests to their services, their tokens, and what menus show of them.

import type { SafeStorage } from 'electron'
import { Agent as HttpAgent } from 'node:http'
import { Agent as HttpsAgent } from 'node:https'
import type { Logger } from 'pino'
import { FAULT_NOTES } from '../../src-runtime/connections/connections-file.ts'
import { createConnections } from '../../src-runtime/connections/connections.ts'
import {
  createConnectionsHandler,
  type ConnectionsHandler,
} from '../../src-runtime/connections/create-connections-handler.ts'
import { hostOf, isLoopback } from '../../src-runtime/connections/service-address.ts'
import { createSendRequest, type SendRequest } from '../../src-runtime/shared/send-request.ts'
import type { DiagnosticConnection } from '../diagnostics/diagnostics.ts'
import { createChromiumSend, type NetRequest } from './chromium-send.ts'
import { LOCAL, type ConnectionChoices } from './connection-items.ts'
import { openConnectionsStore } from './connections-store.ts'
import { createSecretBox } from './secret-box.ts'
import { createTokenKeeper } from './token-keeper.ts'

export type AppConnections = {
  /** Answers `/local/connections*` and `/hosted/*`. */
  readonly answer: ConnectionsHandler
  choices(): ConnectionChoices
  /** The page shows this one. */
  show(id: string): void
  /** Calls back when choices have changed. */
  onChange(listener: () => void): void
  forDiagnostics(): Promise<readonly DiagnosticConnection[]>
}

/** Longer than an answer may be held, and than a stream of events is silent. */
const SILENCE_LIMIT_MS = 100_000

export const createAppConnections = (parts: {
  readonly file: string
  readonly safeStorage: SafeStorage
  readonly netRequest: NetRequest
  readonly version: string
  readonly log: Logger
}): AppConnections => {
  const { file, safeStorage, netRequest, version, log } = parts
  const store = openConnectionsStore(file, (fault, error) => log.warn({ err: error, file }, FAULT_NOTES[fault]))
  const box = createSecretBox(safeStorage, process.platform)
  const connections = createConnections(store.file, createTokenKeeper({ box, sealed: store.sealed, log }))
  const answer = createConnectionsHandler({
    connections,
    send: createSend(netRequest),
    version,
    now: Date.now,
    onUnexpected: (error) => log.error({ err: error }, 'a request for a connection failed'),
  })
  const listeners: (() => void)[] = []
  const changed = (): void => {
    for (const listener of listeners) listener()
  }
  let shown = LOCAL.id
  connections.onChange(changed)
  return {
    answer,
    choices: () => ({ saved: store.file.load().map(({ id, name }) => ({ id, name })), shown }),
    show: (id) => {
      if (id === shown) return
      shown = id
      changed()
    },
    onChange: (listener) => void listeners.push(listener),
    forDiagnostics: async () =>
      (await connections.list()).items.map(({ name, address, token }) => ({ name, host: hostOf(address), token })),
  }
}

/** Chromium might send a request to this computer through a proxy. */
const createSend = (netRequest: NetRequest): SendRequest => {
  const agents = { http: new HttpAgent({ keepAlive: true }), https: new HttpsAgent({ keepAlive: true }) }
  const direct = createSendRequest({ ...agents, idleMs: SILENCE_LIMIT_MS })
  const asTheSystemSays = createChromiumSend(netRequest, SILENCE_LIMIT_MS)
  return (request) => (isLoopback(request.url.hostname) ? direct : asTheSystemSays)(request)
}
