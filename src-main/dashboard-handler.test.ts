import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createDashboardHandler, type DashboardHandler } from './dashboard-handler.ts'

const root = mkdtempSync(join(tmpdir(), 'wes-dashboard-'))
let runtime: Server
let handle: DashboardHandler
let seen: { method?: string; url?: string; headers: IncomingHttpHeaders; body: string }

beforeAll(async () => {
  mkdirSync(join(root, 'page/assets'), { recursive: true })
  writeFileSync(join(root, 'page/index.html'), '<title>page</title>')
  writeFileSync(join(root, 'page/assets/main.js'), 'export {}')
  writeFileSync(join(root, 'secret.txt'), 'secret')
  runtime = createServer((request, response) => {
    let body = ''
    request.setEncoding('utf8').on('data', (text: string) => (body += text))
    request.on('end', () => {
      seen = { method: request.method, url: request.url, headers: request.headers, body }
      response.writeHead(201, { 'content-type': 'application/json', location: '/v1/executions/exe_1' }).end('{"id":1}')
    })
  })
  await new Promise<void>((listening) => runtime.listen(0, '127.0.0.1', listening))
  const { port } = runtime.address() as AddressInfo
  handle = createDashboardHandler({ pageFolder: join(root, 'page'), runtimePort: port })
})

afterAll(async () => {
  runtime.closeAllConnections()
  await new Promise((closed) => runtime.close(closed))
  rmSync(root, { recursive: true })
})

const get = (path: string) => handle(new Request(`app://dashboard${path}`))

describe('app://dashboard', () => {
  it('serves the page and its files under a policy that allows nothing but its own origin', async () => {
    const page = await get('/')
    expect(page.status).toBe(200)
    expect(await page.text()).toBe('<title>page</title>')
    expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8')
    expect(page.headers.get('content-security-policy')).toContain("connect-src 'self'")
    const script = await get('/assets/main.js')
    expect([script.status, script.headers.get('content-type')]).toEqual([200, 'text/javascript; charset=utf-8'])
  })

  it.each([
    '/%2e%2e%2fsecret.txt',
    '/assets/%2e%2e/%2e%2e/secret.txt',
    '/..%2f..%2fetc%2fpasswd',
    '/%E0%A4%A',
    '/%00',
    '/assets',
    '/none.js',
  ])('serves nothing but its own files: %s', async (path) => expect((await get(path)).status).toBe(404))

  it('answers no other host and no other method', async () => {
    expect((await handle(new Request('app://elsewhere/'))).status).toBe(404)
    expect((await handle(new Request('app://dashboard/', { method: 'POST', body: '' }))).status).toBe(405)
  })

  it('forwards /local to the runtime with a fixed list of headers', async () => {
    const answer = await handle(
      new Request('app://dashboard/local/v1/executions?limit=1', {
        method: 'POST',
        body: '{"programId":"a"}',
        headers: {
          'content-type': 'application/json',
          'idempotency-key': 'k',
          authorization: 'Bearer t',
          'x-other': '1',
        },
      }),
    )
    expect(answer.status).toBe(201)
    expect(answer.headers.get('location')).toBe('/v1/executions/exe_1')
    expect(await answer.json()).toEqual({ id: 1 })
    expect(seen).toMatchObject({ method: 'POST', url: '/v1/executions?limit=1', body: '{"programId":"a"}' })
    expect(seen.headers).toMatchObject({ 'content-type': 'application/json', 'idempotency-key': 'k' })
    for (const name of ['origin', 'authorization', 'x-other', 'cookie']) expect(seen.headers).not.toHaveProperty(name)
  })

  it('says that the runtime is unavailable when nothing answers', async () => {
    const nobody = createDashboardHandler({ pageFolder: root, runtimePort: 1 })
    const answer = await nobody(new Request('app://dashboard/local/healthz'))
    expect(answer.status).toBe(503)
    expect(await answer.json()).toMatchObject({ error: { code: 'unavailable' } })
  })
})
