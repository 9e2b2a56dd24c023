// A real HTTP server that sends scripted responses and records requests.

import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text as readText } from 'node:stream/consumers'
import { promisify } from 'node:util'

export type SeenRequest = {
  readonly method: string
  readonly url: string
  readonly headers: IncomingMessage['headers']
  readonly body: string
}

export type Answer = (request: SeenRequest, response: ServerResponse) => void | Promise<void>

export type ScriptedServer = {
  readonly url: string
  readonly port: number
  readonly seen: readonly SeenRequest[]
  /** Connections that are open now. */
  connections(): Promise<number>
  close(): Promise<void>
}

/** `port` 0 lets the system choose. */
export const startScriptedServer = async (answer: Answer, port = 0): Promise<ScriptedServer> => {
  const seen: SeenRequest[] = []
  const server = createServer((incoming, response) => {
    void (async () => {
      const { method = '', url = '', headers } = incoming
      const request = { method, url, headers, body: await readText(incoming) }
      seen.push(request)
      await answer(request, response)
    })()
  })
  await listen(server, port)
  const used = (server.address() as AddressInfo).port
  return {
    url: `http://localhost:${used}`,
    port: used,
    seen,
    connections: () => promisify(server.getConnections.bind(server))(),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

const listen = (server: Server, port: number): Promise<void> =>
  new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, '127.0.0.1', () => {
      server.off('error', reject)
      resolve()
    })
  })

export const json =
  (status: number, body: unknown, headers: Readonly<Record<string, string>> = {}): Answer =>
  (_request, response) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body))
  }

/** Sends these responses in order, and then repeats the last one. */
export const inTurn = (...answers: readonly Answer[]): Answer => {
  let next = 0
  return (request, response) => answers[Math.min(next++, answers.length - 1)]?.(request, response)
}

/** Takes the request and never answers. */
export const silent: Answer = () => {}

/** Breaks the connection without an answer. */
export const reset: Answer = (_request, response) => {
  response.destroy()
}

/** Waits until `condition` holds, for at most a minute. */
export const until = async (condition: () => boolean | Promise<boolean>): Promise<void> => {
  const deadline = Date.now() + 60_000
  while (!(await condition())) {
    if (Date.now() > deadline) throw new Error('the condition did not come true within a minute')
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
}
