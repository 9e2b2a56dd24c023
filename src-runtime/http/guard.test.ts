import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createHttpRig, type HttpRig } from './http-rig.test-support.ts'
import { rawRequest, readRaw } from './raw-request.test-support.ts'

let rig: HttpRig
beforeAll(async () => {
  rig = await createHttpRig()
})
afterAll(() => rig.close())

const verdict = async (method: string, path: string, headers: Readonly<Record<string, string>>) => {
  const resolved = Object.entries({ host: 'localhost:PORT', ...headers }).map(([name, value]) => [
    name,
    value.replaceAll('PORT', String(rig.port)),
  ])
  const answer = await rig.call(method, path, { headers: Object.fromEntries(resolved) as Record<string, string> })
  return answer.status >= 400 ? (answer.json.error.code as string) : answer.status
}

describe('the Host of a request', () => {
  it.each(['localhost:PORT', '127.0.0.1:PORT', '[::1]:PORT', 'LOCALHOST:PORT'])('%s is allowed', async (host) => {
    expect(await verdict('GET', '/v1/projects', { host })).toBe(200)
  })

  it.each([
    'localhost',
    'localhost:1',
    '127.0.0.1',
    'evil.example',
    'evil.example:PORT',
    'localhost.evil.example:PORT',
    'evil.example:PORT@localhost:PORT',
    '127.0.0.2:PORT',
    '0.0.0.0:PORT',
    '[::]:PORT',
    '[::ffff:127.0.0.1]:PORT',
    'localhost:PORT.evil.example',
    '2130706433:PORT',
  ])('%s is refused on every path', async (host) => {
    for (const [method, path] of [
      ['GET', '/v1/projects'],
      ['GET', '/'],
      ['GET', '/nothing'],
      ['GET', '/healthz'],
      ['GET', '/assets/status.js'],
      ['POST', '/v1/executions'],
      ['OPTIONS', '/v1/executions'],
      ['GET', '/v1/whoami'],
      ['DELETE', '/v1/projects'],
    ] as const) {
      expect(await verdict(method, path, { host }), `${method} ${path}`).toBe('forbidden_host')
    }
  })

  it.each([
    ['missing', 'GET /v1/projects HTTP/1.1\r\nconnection: close\r\n\r\n'],
    ['missing in HTTP/1.0', 'GET /v1/projects HTTP/1.0\r\n\r\n'],
    ['empty', 'GET /v1/projects HTTP/1.1\r\nhost:\r\nconnection: close\r\n\r\n'],
  ])('%s is refused', async (_what, bytes) => {
    const { status, json } = readRaw(await rawRequest(rig.port, bytes))
    expect([status, json.error.code]).toEqual([403, 'forbidden_host'])
  })

  it('must be sent once', async () => {
    for (const second of ['evil.example', `localhost:${rig.port}`]) {
      const bytes = `GET /v1/projects HTTP/1.1\r\nhost: localhost:${rig.port}\r\nHost: ${second}\r\nconnection: close\r\n\r\n`
      const { status, json } = readRaw(await rawRequest(rig.port, bytes))
      expect([status, json.error.code]).toEqual([403, 'forbidden_host'])
    }
  })

  it('must match an absolute target', async () => {
    const get = (target: string) =>
      rawRequest(rig.port, `GET ${target} HTTP/1.1\r\nhost: localhost:${rig.port}\r\nconnection: close\r\n\r\n`)
    expect(await get(`http://localhost:${rig.port}/v1/projects`)).toMatch(/^HTTP\/1\.1 200 /)
    for (const target of ['http://evil.example/v1/projects', 'https://localhost/v1/projects', 'ftp://x/']) {
      expect(readRaw(await get(target)).json.error.code).toBe('forbidden_host')
    }
  })
})

describe('the Origin of a request', () => {
  it.each([
    ['localhost:PORT', 'http://localhost:PORT'],
    ['127.0.0.1:PORT', 'http://127.0.0.1:PORT'],
    ['[::1]:PORT', 'http://[::1]:PORT'],
    ['LOCALHOST:PORT', 'http://localhost:PORT'],
  ])('at %s may be %s', async (host, origin) => {
    expect(await verdict('GET', '/v1/projects', { host, origin })).toBe(200)
  })

  it.each([
    'https://evil.example',
    'null',
    '',
    'http://localhost',
    'http://localhost:1',
    'https://localhost:PORT',
    'http://127.0.0.1:PORT',
    'http://localhost:PORT/',
    'http://localhost:PORT.evil.example',
    'app://dashboard',
    'file://',
  ])('at localhost may not be "%s"', async (origin) => {
    for (const [method, path] of [
      ['GET', '/v1/projects'],
      ['POST', '/v1/executions'],
      ['OPTIONS', '/v1/executions'],
      ['GET', '/v1/changes'],
      ['GET', '/'],
      ['GET', '/nothing'],
    ] as const) {
      expect(await verdict(method, path, { origin }), `${method} ${path}`).toBe('forbidden_origin')
    }
  })

  it('is refused in a preflight, and no answer allows another origin', async () => {
    const preflight = {
      origin: 'https://evil.example',
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'content-type',
      'access-control-request-private-network': 'true',
    }
    const answers = [
      await rig.call('OPTIONS', '/v1/executions', { headers: { host: `localhost:${rig.port}`, ...preflight } }),
      await rig.call('OPTIONS', '/v1/executions', {
        headers: { ...preflight, host: `localhost:${rig.port}`, origin: `http://localhost:${rig.port}` },
      }),
      await rig.call('GET', '/v1/projects'),
    ]
    expect(answers.map(({ status }) => status)).toEqual([403, 405, 200])
    for (const { headers } of answers) {
      expect(Object.keys(headers).filter((name) => name.startsWith('access-control'))).toEqual([])
    }
  })
})

describe('a browser’s request without Origin', () => {
  const navigation = { 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' }

  it.each(['same-origin', 'none'])('is accepted from %s', async (site) => {
    expect(await verdict('GET', '/v1/projects', { 'sec-fetch-site': site })).toBe(200)
  })

  it.each(['cross-site', 'same-site', 'something-new'])('is refused from %s', async (site) => {
    expect(await verdict('GET', '/v1/projects', { 'sec-fetch-site': site })).toBe('forbidden_origin')
    expect(await verdict('GET', '/', { 'sec-fetch-site': site, 'sec-fetch-mode': 'no-cors' })).toBe('forbidden_origin')
  })

  it('may follow a link to a page only', async () => {
    const from = { 'sec-fetch-site': 'cross-site', ...navigation, accept: 'text/html' }
    expect(await verdict('GET', '/', from)).toBe(200)
    expect(await verdict('GET', '/executions/exe_1?x=/v1/', from)).toBe(200)
    for (const path of [
      '/v1/projects',
      '/v1',
      '/local/v1/projects',
      '/healthz',
      '/openapi.json',
      '/assets/status.js',
    ]) {
      expect(await verdict('GET', path, from), path).toBe('forbidden_origin')
    }
    expect(await verdict('POST', '/', from)).toBe('forbidden_origin')
    expect(await verdict('GET', '/', { ...from, 'sec-fetch-dest': 'iframe' })).toBe('forbidden_origin')
    expect(await verdict('GET', '/', { ...from, 'sec-fetch-mode': 'cors' })).toBe('forbidden_origin')
  })
})
