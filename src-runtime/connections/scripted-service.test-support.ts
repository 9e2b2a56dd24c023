// A real HTTP server that answers like a hosted service, or as a test says.

import { once } from 'node:events'
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'

export type Seen = {
  readonly method: string
  readonly url: string
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

export type ScriptedService = {
  readonly url: string
  readonly server: Server
  /** Every request, in the order of arrival. */
  readonly seen: readonly Seen[]
  /** Without those for `/healthz`. */
  meant(): readonly Seen[]
  close(): Promise<void>
}

export const HEALTH = { service: 'workflow-execution-service', mode: 'hosted', version: '0.1.0', features: [] }

export const sendJson = (response: ServerResponse, value: unknown, status = 200): void =>
  void response.writeHead(status, { 'content-type': 'application/json; charset=utf-8' }).end(JSON.stringify(value))

/** `answer` is called when the whole request has come; `health` instead of it for `/healthz`. */
export const startService = async (
  answer: (response: ServerResponse, request: Seen) => void = (response) => sendJson(response, { ok: true }),
  health: (response: ServerResponse) => void = (response) => sendJson(response, HEALTH),
): Promise<ScriptedService> => {
  const seen: Seen[] = []
  const server = createServer((request: IncomingMessage, response) => {
    // A cancelled request never ends.
    void readRequest(request).then(
      (one) => {
        seen.push(one)
        if (one.url === '/healthz') health(response)
        else answer(response, one)
      },
      () => undefined,
    )
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    server,
    seen,
    meant: () => seen.filter(({ url }) => url !== '/healthz'),
    close: async () => {
      server.closeAllConnections()
      if (server.listening) await new Promise((closed) => server.close(closed))
    },
  }
}

const readRequest = async (request: IncomingMessage): Promise<Seen> => {
  const { method = '', url = '', headers } = request
  return { method, url, headers, body: await text(request) }
}
