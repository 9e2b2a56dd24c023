import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { json, startScriptedServer, type ScriptedServer } from '../../src-sdk/scripted-server.test-support.ts'
import { builtPage, createDashboardHandler, servedPage, type DashboardHandler } from './dashboard-handler.ts'

const root = mkdtempSync(join(tmpdir(), 'wes-dashboard-'))
let handle: DashboardHandler
let forwarded: { readonly method: string; readonly path: string } | undefined

let asked: string | undefined
const connections = async ({ method, url }: Request): Promise<Response> => {
  asked = `${method} ${new URL(url).pathname}`
  return Response.json({ connections: true })
}

const forward = async ({ method, path }: { readonly method: string; readonly path: string }): Promise<Response> => {
  forwarded = { method, path }
  return Response.json({ forwarded: true })
}

beforeAll(() => {
  mkdirSync(join(root, 'page/assets'), { recursive: true })
  writeFileSync(join(root, 'page/index.html'), '<title>page</title>')
  writeFileSync(join(root, 'page/assets/main.js'), 'export {}')
  writeFileSync(join(root, 'secret.txt'), 'secret')
  handle = createDashboardHandler({ page: builtPage(join(root, 'page')), forward, connections })
})

afterAll(() => rmSync(root, { recursive: true }))

const get = (path: string, accept = '*/*') => handle(new Request(`app://dashboard${path}`, { headers: { accept } }))

describe('app://dashboard', () => {
  it('serves the page and its files with a policy that allows only its own origin', async () => {
    const page = await get('/')
    expect(page.status).toBe(200)
    expect(await page.text()).toBe('<title>page</title>')
    expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8')
    expect(page.headers.get('content-security-policy')).toContain("connect-src 'self'")
    const script = await get('/assets/main.js')
    expect([script.status, script.headers.get('content-type')]).toEqual([200, 'text/javascript; charset=utf-8'])
  })

  it.each(['/executions/exe_1?tab=history', '/programs/a.js', '/settings', '/index.html'])(
    'serves the page for its routes: %s',
    async (path) => {
      expect(await (await get(path, 'text/html,*/*;q=0.8')).text()).toBe('<title>page</title>')
      expect((await get(path)).status).toBe(404)
    },
  )

  it.each(['/assets/none.js', '/v1/executions', '/healthz', '/openapi.json'])(
    'never takes for a page what is none: %s',
    async (path) => expect((await get(path, 'text/html')).status).toBe(404),
  )

  it.each([
    '/%2e%2e%2fsecret.txt',
    '/assets/%2e%2e/%2e%2e/secret.txt',
    '/assets/..%2f..%2fsecret.txt',
    '/..%2f..%2fetc%2fpasswd',
    '/assets/%E0%A4%A',
    '/assets/%00',
    '/assets',
    '/assets/',
    '/none.js',
  ])('serves only its own files: %s', async (path) => expect((await get(path)).status).toBe(404))

  it('answers no other host or method', async () => {
    expect((await handle(new Request('app://elsewhere/'))).status).toBe(404)
    expect((await handle(new Request('app://dashboard/', { method: 'POST', body: '' }))).status).toBe(405)
  })

  it('forwards only /local to the runtime', async () => {
    await handle(new Request('app://dashboard/local/v1/executions?limit=1', { method: 'POST', body: '{}' }))
    expect(forwarded).toEqual({ method: 'POST', path: '/v1/executions?limit=1' })
    forwarded = undefined
    await get('/localhost')
    expect((await get('/local', 'text/html')).status).toBe(404)
    expect(forwarded).toBeUndefined()
  })
})

describe('requests for connections', () => {
  const ask = (path: string, init: RequestInit = {}) => handle(new Request(`app://dashboard${path}`, init))

  it.each([
    ['GET', '/local/connections'],
    ['POST', '/local/connections/test'],
    ['DELETE', '/local/connections/acme'],
    ['GET', '/hosted/acme/v1/executions'],
    ['POST', '/hosted/acme/v1/executions'],
  ])('of our page are answered: %s %s', async (method, path) => {
    for (const headers of [{}, { origin: 'app://dashboard', 'sec-fetch-site': 'same-origin' }]) {
      asked = undefined
      await ask(path, { method, headers })
      expect(asked).toBe(`${method} ${path}`)
    }
  })

  it.each([
    { origin: 'https://evil.example' },
    { origin: 'null' },
    { origin: 'app://dashboard.evil' },
    { 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'none' },
  ])('of another page get nothing: %o', async (headers) => {
    asked = undefined
    for (const path of ['/local/connections', '/hosted/acme/v1/executions']) {
      expect((await ask(path, { headers })).status).toBe(403)
    }
    expect(asked).toBeUndefined()
  })

  it('are not the runtime’s', async () => {
    forwarded = undefined
    await ask('/local/connectionsX')
    expect(forwarded).toEqual({ method: 'GET', path: '/connectionsX' })
  })
})

describe('the page during development', () => {
  let server: ScriptedServer
  beforeAll(async () => {
    server = await startScriptedServer(json(200, { dev: true }))
  })
  afterAll(() => server.close())

  it('comes from its server, with the same origin', async () => {
    const dev = createDashboardHandler({ page: servedPage(server.url), forward, connections })
    const answer = await dev(
      new Request('app://dashboard/src/main.ts?t=1', { headers: { accept: 'a/b', cookie: 'c=d', origin: 'app://x' } }),
    )
    expect(await answer.json()).toEqual({ dev: true })
    expect(answer.headers.get('content-security-policy')).toContain(`ws://`)
    expect(server.seen.at(-1)).toMatchObject({ url: '/src/main.ts?t=1', headers: { accept: 'a/b' } })
    expect(server.seen.at(-1)?.headers).not.toHaveProperty('cookie')
  })
})
