import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Home, OperationSpec } from '../contract/operation-spec.ts'
import { operations } from '../contract/operations.ts'
import { CONTENT_SECURITY_POLICY } from '../pages/page-headers.ts'
import type { Pages } from '../pages/pages.ts'
import { createHttpRig, type HttpRig } from './http-rig.test-support.ts'
import { rawRequest, readRaw } from './raw-request.test-support.ts'
import { createUnknownRoute } from './unknown-route.ts'

let rig: HttpRig
beforeAll(async () => {
  rig = await createHttpRig()
})
afterAll(() => rig.close())

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'PROPFIND']
const page = { accept: 'text/html,application/xhtml+xml;q=0.9,*/*;q=0.8' }

describe('a path that does not exist', () => {
  it.each([
    '/nothing',
    '/v1',
    '/v1/',
    '/v1/nothing',
    '/v1/executions/x/nothing',
    '/v2/projects',
    '/local',
    '/hosted/x',
  ])('%s is 404, with any method and any body', async (path) => {
    for (const method of METHODS) {
      const answer = await rig.call(method, path, {
        headers: { 'content-type': 'text/plain' },
        body: method === 'GET' ? '' : 'x',
      })
      expect([method, answer.status, answer.json.error.code]).toEqual([method, 404, 'not_found'])
    }
  })

  it('is 404 with an additional slash', async () => {
    for (const path of ['/v1/projects/', '/v1//projects', '/V1/projects', '//v1/projects', '/v1/executions/x/']) {
      expect([path, (await rig.call('GET', path)).json.error.code]).toEqual([path, 'not_found'])
    }
  })

  it('is 404 with an empty id', async () => {
    for (const path of ['/v1/executions/', '/v1/executions//result', '/v1/programs/', '/v1/programs//versions']) {
      expect([path, (await rig.call('GET', path)).status]).toEqual([path, 404])
    }
  })
})

describe('the API under /local', () => {
  it('is the API', async () => {
    const [there, here] = await Promise.all([rig.call('GET', '/local/v1/projects'), rig.call('GET', '/v1/projects')])
    expect([there.status, there.text]).toEqual([200, here.text])
    expect((await rig.call('POST', '/local/v1/projects', { json: {} })).json.error.code).toBe('invalid_request')
    expect((await rig.call('DELETE', '/local/v1/projects')).headers['allow']).toBe('GET, HEAD, POST')
    for (const path of ['/local/healthz', '/local/v1', '/local/local/v1/projects', '/localv1/projects']) {
      expect([path, (await rig.call('GET', path)).json.error.code]).toEqual([path, 'not_found'])
    }
  })
})

describe('a method that a path does not have', () => {
  it.each([
    ['/v1/projects', 'GET, HEAD, POST'],
    ['/v1/programs', 'GET, HEAD'],
    ['/v1/programs/deploy', 'GET, HEAD, POST'],
    ['/v1/programs/hello', 'GET, HEAD'],
    ['/v1/programs/hello/versions', 'GET, HEAD'],
    ['/v1/executions', 'GET, HEAD, POST'],
    ['/v1/executions/exe_1', 'DELETE, GET, HEAD'],
    ['/v1/executions/counts', 'GET, HEAD'],
    ['/v1/executions/%63ounts', 'GET, HEAD'],
    ['/v1/bulk', 'POST'],
    ['/v1/bulk/blk_1', 'GET, HEAD'],
    ['/v1/bulk/blk_1/stop', 'POST'],
    ['/v1/waiting', 'GET, HEAD'],
    ['/v1/errors', 'GET, HEAD'],
    ['/v1/metrics', 'GET, HEAD'],
    ['/v1/source', 'GET, HEAD'],
    ['/v1/runtime', 'GET, HEAD'],
    ['/v1/executions/exe_1/events', 'POST'],
    ['/v1/executions/exe_1/cancel', 'POST'],
    ['/v1/executions/exe_1/result', 'GET, HEAD'],
    ['/v1/executions/exe_1/history', 'GET, HEAD'],
    ['/v1/changes', 'GET, HEAD'],
    ['/healthz', 'GET, HEAD'],
    ['/openapi.json', 'GET, HEAD'],
    ['/', 'GET, HEAD'],
    ['/assets/status.css', 'GET, HEAD'],
    ['/v1/%70rojects', 'GET, HEAD, POST'],
  ])('of %s is 405, and Allow contains %s', async (path, allow) => {
    for (const method of [...METHODS, 'OPTIONS', 'TRACE', 'QUERY'].filter(
      (name) => !allow.split(', ').includes(name),
    )) {
      const bytes = `${method} ${path}?a=1 HTTP/1.1\r\nhost: localhost:${rig.port}\r\nconnection: close\r\n\r\n`
      const { status, headers, json } = readRaw(await rawRequest(rig.port, bytes))
      expect([method, status, json.error.code, headers['allow']]).toEqual([method, 405, 'method_not_allowed', allow])
    }
  })

  it('is CONNECT, on every path', async () => {
    const bytes = `CONNECT evil.example:443 HTTP/1.1\r\nhost: localhost:${rig.port}\r\n\r\n`
    expect(readRaw(await rawRequest(rig.port, bytes)).json.error.code).toBe('method_not_allowed')
  })

  it('is never HEAD if there is GET', async () => {
    const head = await rig.call('HEAD', '/v1/projects')
    const get = await rig.call('GET', '/v1/projects')
    expect([head.status, head.text, head.headers['content-length']]).toEqual([200, '', get.headers['content-length']])
    expect((await rig.call('HEAD', '/v1/changes')).status).toBe(200)
  })
})

describe('routes of hosted services', () => {
  it.each([
    '/v1/whoami',
    '/v1/usage',
    '/v1/billing/plan',
    '/v1/billing/invoices/upcoming',
    '/v1/workspaces/current',
    '/v1/programs/hello/triggers',
    '/v1/projects/default/triggers',
    '/v1/projects/default/triggers/trg_1/fire',
    '/v1/projects/default/environment',
    '/local/v1/whoami',
  ])('%s is hosted_only, with any method', async (path) => {
    for (const method of METHODS) {
      const answer = await rig.call(method, path, { headers: { ...page, 'content-type': 'text/plain' } })
      expect([method, answer.status, answer.json.error.code]).toEqual([method, 404, 'hosted_only'])
      expect(answer.json.error.message).toContain('hosted')
    }
  })
})

describe('routes of one home', () => {
  const NO_PAGES: Pages = { index: undefined, asset: () => undefined }
  const codeOf = (home: Home, method: string, url: string) => {
    const route = createUnknownRoute(home, NO_PAGES)({ method, url, headers: {} })
    return route.kind === 'refused' ? route.error.code : route.kind
  }

  it.each(['/v1/source', '/v1/runtime'])('%s is local_only on a hosted service', (path) => {
    for (const method of METHODS) expect(codeOf('hosted', method, path)).toBe('local_only')
    expect(codeOf('hosted', 'GET', `${path}/x`)).toBe('not_found')
  })

  it('are all refused that only another home serves', () => {
    for (const { home, method, path } of Object.values(operations) as readonly OperationSpec[]) {
      if (home === undefined) continue
      const code = codeOf(home === 'local' ? 'hosted' : 'local', method, path.replaceAll(/:[a-z]+/gi, '1'))
      expect([path, code]).toEqual([path, `${home}_only`])
    }
  })
})

describe('the page', () => {
  it.each(['/', '/executions', '/executions/exe_1?tab=history', '/v10', '/assetsx', '/programs/a.b'])(
    'is at %s for who asks for HTML',
    async (path) => {
      const answer = await rig.call('GET', path, { headers: page })
      expect([answer.status, answer.headers['content-type']]).toEqual([200, 'text/html; charset=utf-8'])
      expect(answer.headers).toMatchObject({
        'content-security-policy': CONTENT_SECURITY_POLICY,
        'x-content-type-options': 'nosniff',
        'x-frame-options': 'DENY',
        'referrer-policy': 'no-referrer',
      })
      expect(answer.text).toContain('<!doctype html>')
    },
  )

  it.each([
    '/v1',
    '/v1/nothing',
    '/local/x',
    '/hosted/x',
    '/healthz/x',
    '/openapi.json/x',
    '/assets',
    '/assets/none.js',
    '/assets/../index.html',
  ])('is not at %s', async (path) => {
    const bytes = `GET ${path} HTTP/1.1\r\nhost: localhost:${rig.port}\r\naccept: text/html\r\nconnection: close\r\n\r\n`
    expect(readRaw(await rawRequest(rig.port, bytes)).json.error.code).toBe('not_found')
  })

  it('is sent to who asks for HTML in any case', async () => {
    expect((await rig.call('GET', '/executions', { headers: { accept: 'Text/HTML' } })).status).toBe(200)
  })

  it('is at / if the caller accepts any type, and not for JSON', async () => {
    expect((await rig.call('GET', '/')).headers['content-type']).toBe('text/html; charset=utf-8')
    expect((await rig.call('GET', '/', { headers: { accept: '*/*' } })).status).toBe(200)
    expect((await rig.call('GET', '/', { headers: { accept: 'application/json' } })).status).toBe(404)
    expect((await rig.call('GET', '/nothing', { headers: { accept: '*/*' } })).status).toBe(404)
  })

  it('is not sent to who refuses HTML', async () => {
    const statusFor = async (path: string, accept: string) =>
      (await rig.call('GET', path, { headers: { accept } })).status
    for (const path of ['/', '/executions']) {
      for (const accept of ['text/html;q=0', 'text/HTML; Q=0.000, */*', 'application/json, text/html ; q=0.']) {
        expect([path, accept, await statusFor(path, accept)]).toEqual([path, accept, 404])
      }
      expect([path, await statusFor(path, 'text/html;q=0.01')]).toEqual([path, 200])
    }
    expect(await statusFor('/', '*/*;q=0')).toBe(404)
  })

  it('has no inline code, and all files that it refers to exist', async () => {
    const { text } = await rig.call('GET', '/', { headers: page })
    expect(text).not.toMatch(/<script(?![^>]*\ssrc=)|<style|\sstyle=|\son[a-z]+=|javascript:/i)
    const references = [...text.matchAll(/(?:src|href)="(\/assets\/[^"]+)"/g)].map(([, path]) => path!)
    expect(references.length).toBeGreaterThan(2)
    for (const path of references) {
      const answer = await rig.call('GET', path)
      expect([path, answer.status]).toEqual([path, 200])
      expect(answer.headers['x-content-type-options']).toBe('nosniff')
    }
  })

  it('calls its own origin only', () => {
    const script = readFileSync(new URL('../../resources/status-page/assets/status.js', import.meta.url), 'utf8')
    expect(script).not.toMatch(/https?:|\/\/[a-z]/i)
  })
})
