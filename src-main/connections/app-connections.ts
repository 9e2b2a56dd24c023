// The saved connections of the app: requests to their services, their tokens, and what menus show of them.

import type { SafeStorage } from 'electron'
import type { Logger } from 'pino'
import type { OnFault } from '../../src-runtime/connections/connections-file.ts'
import { createConnections } from '../../src-runtime/connections/connections.ts'
import {
  createConnectionsHandler,
  type ConnectionsHandler,
} from '../../src-runtime/connections/create-connections-handler.ts'
import { createLoopbackSend, SILENCE_LIMIT_MS } from '../../src-runtime/connections/loopback-send.ts'
import { hostOf } from '../../src-runtime/connections/service-address.ts'
import type { DiagnosticConnection } from '../diagnostics/diagnostics.ts'
import { createChromiumSend, type NetRequest } from './chromium-send.ts'
import { LOCAL, type ConnectionChoices } from './connection-items.ts'
import { openConnectionsStore } from './connections-store.ts'
import { createProxyLogin } from './proxy-login.ts'
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
  /** Why the file was not used at the start, for the user. */
  readonly fault: string | undefined
}

export const createAppConnections = (parts: {
  readonly file: string
  readonly safeStorage: SafeStorage
  readonly netRequest: NetRequest
  readonly version: string
  readonly log: Logger
}): AppConnections => {
  const { file, safeStorage, netRequest, version, log } = parts
  let fault: string | undefined
  const onFault: OnFault = (kind, error) => {
    fault =
      kind === 'damaged'
        ? `The saved connections in ${file} are damaged, so the list is empty. The damaged file is kept as ${file}.unreadable, without tokens.`
        : `The saved connections in ${file} cannot be read, so the list is empty and nothing is saved. Start the app again when the file can be read.`
    log.warn({ err: error }, fault)
  }
  const store = openConnectionsStore(file, onFault)
  const box = createSecretBox(safeStorage, process.platform)
  const connections = createConnections(store.file, createTokenKeeper({ box, sealed: store.sealed, log }))
  const answer = createConnectionsHandler({
    connections,
    send: createLoopbackSend(createChromiumSend(netRequest, SILENCE_LIMIT_MS, () => createProxyLogin(process.env))),
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
    fault,
  }
}
