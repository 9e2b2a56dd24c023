import { writeFileSync } from 'node:fs'
import { createServer as createHttpServer, request, type IncomingHttpHeaders, type IncomingMessage } from 'node:http'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createServer, type ViteDevServer } from 'vite'
import { temporaryFolder } from '../../src-runtime/shared/temporary-folder.test-support.ts'
import { localProxy } from './local-proxy.ts'

type Seen = { readonly url: string | undefined; readonly headers: IncomingHttpHeaders }

let folder: string
let vite: ViteDevServer
let page: string
const seen: Seen[] = []
const runtime = createHttpServer((incoming, response) => {
  seen.push({ url: incoming.url, headers: incoming.headers })
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  response.write('data: first\n\n') // and stays open, like a stream of changes
})
let target: string

beforeEach(async () => {
  seen.length = 0
  runtime.listen(0, '127.0.0.1')
  await once(runtime, 'listening')
  target = `http://localhost:${(runtime.address() as AddressInfo).port}`
  folder = temporaryFolder('proxy')
  writeFileSync(join(folder, 'index.html'), '<title>page</title>')
  vite = await createServer({
    configFile: false,
    root: folder,
    logLevel: 'silent',
    optimizeDeps: { noDiscovery: true },
    server: { host: '127.0.0.1', port: 0, proxy: localProxy(target) },
  })
  await vite.listen()
  page = `http://127.0.0.1:${(vite.httpServer!.address() as AddressInfo).port}`
})

afterEach(async () => {
  runtime.closeAllConnections()
  runtime.close()
  await vite.close()
})

/** The head and the first bytes of an answer. `fetch` would not send these headers. */
const ask = async (path: string, headers: Readonly<Record<string, string>> = {}) => {
  const outgoing = request(`${page}${path}`, { headers }).end()
  const [response] = (await once(outgoing, 'response')) as [IncomingMessage]
  const [first] = (await once(response, 'data')) as [Buffer]
  outgoing.destroy()
  return { status: response.statusCode, first: first.toString() }
}

describe('the page of the development server', () => {
  it.each(['/local/v1/changes', '/hosted/acme/v1/changes'])(
    'asks the runtime for %s, with its origin',
    async (path) => {
      expect(await ask(path, { origin: page })).toEqual({ status: 200, first: 'data: first\n\n' })
      const reached = target.replace('localhost', '127.0.0.1')
      expect(seen[0]?.url).toBe(path)
      expect(seen[0]?.headers).toMatchObject({ origin: reached, host: new URL(reached).host })
    },
  )

  it.each(['https://evil.example', 'http://localhost:1', 'null'])(
    'lends its name to no page from %s',
    async (origin) => {
      await ask('/local/v1/executions', { origin, 'sec-fetch-site': 'cross-site' })
      expect(seen[0]?.headers).toMatchObject({ origin, 'sec-fetch-site': 'cross-site' })
    },
  )

  it('does not set that origin for other host names', async () => {
    const { status } = await ask('/local/v1/executions', { origin: 'http://evil.example', host: 'evil.example' })
    expect(status).toBe(403)
    expect(seen).toEqual([])
  })

  it('gets an API error if the runtime does not answer', async () => {
    runtime.closeAllConnections()
    runtime.close()
    await once(runtime, 'close')
    const { status, first } = await ask('/local/v1/executions')
    expect(status).toBe(503)
    expect(JSON.parse(first)).toEqual({ error: { code: 'unavailable', message: 'The runtime does not answer.' } })
  })
})
