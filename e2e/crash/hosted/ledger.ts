// Records outside of the service what effects really did. Each call gets a receipt of its own.

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { json } from 'node:stream/consumers'

export type LedgerCall = { readonly key: string; readonly attempt: number; readonly receipt: number }

export type Ledger = {
  readonly url: string
  readonly calls: readonly LedgerCall[]
  /** Calls without the key that effects find in their environment. */
  readonly strangers: number
  stop(): Promise<void>
}

/** An address of this machine at which no part of the service listens: effects may connect to it alone. */
export const LEDGER_HOST = '127.0.0.2'

export const startLedger = async (apiKey: string): Promise<Ledger> => {
  const calls: LedgerCall[] = []
  let strangers = 0
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    if (request.headers['x-ledger-key'] !== apiKey) {
      strangers += 1
      response.writeHead(401).end()
      return
    }
    const { key, attempt } = await read(request)
    const receipt = calls.length + 1
    calls.push({ key, attempt, receipt })
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ receipt }))
  }
  const server = createServer((request, response) => {
    answer(request, response).catch(() => response.destroy())
  })
  await new Promise<void>((resolve) => server.listen(0, LEDGER_HOST, resolve))
  const address = server.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  return {
    url: `http://${LEDGER_HOST}:${port}/`,
    calls,
    get strangers() {
      return strangers
    },
    stop: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

const read = async (request: IncomingMessage): Promise<{ key: string; attempt: number }> =>
  (await json(request)) as { key: string; attempt: number }
