import { request as httpRequest } from 'node:http'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { OperationSpec } from '../contract/operation-spec.ts'
import { operations } from '../contract/operations.ts'
import { createHttpRig, type HttpRig } from './http-rig.test-support.ts'
import { rawRequest, readRaw } from './raw-request.test-support.ts'

const TOKEN = 'a-token-of-the-test'

let rig: HttpRig
let now = Date.now()
beforeAll(async () => {
  rig = await createHttpRig({ token: TOKEN, now: () => now })
})
afterAll(() => rig.close())

const bearer = (token = TOKEN) => ({ authorization: `Bearer ${token}` })

const exchange = (code: string | undefined, headers: Record<string, string> = {}) =>
  rig.call('POST', '/local/session', { json: { code }, headers: { origin: rig.origin, ...headers } })

describe('a runtime with a token', () => {
  it.each([
    ['GET', '/v1/projects'],
    ['GET', '/local/v1/projects'],
    ['GET', '/%761/projects'],
    ['GET', '/v1/changes'],
    ['GET', '/v1/nothing'],
    ['POST', '/v1/executions'],
    ['DELETE', '/v1/projects'],
    ['GET', '/v1/whoami'],
    ['POST', '/local/link'],
    ['GET', '/local/connections'],
    ['GET', '/local/session'],
  ])('refuses %s %s without the token', async (method, path) => {
    const answer = await rig.call(method, path)
    expect(answer.status).toBe(401)
    expect(answer.json.error.code).toBe('unauthorized')
    expect(answer.json.error.message).toContain('`wes link`')
    expect(answer.headers['www-authenticate']).toBe('Bearer')
  })

  it('refuses every operation without the token, except the health check', async () => {
    const open = ['/healthz', '/openapi.json']
    for (const { method, path } of Object.values(operations) as readonly OperationSpec[]) {
      const { status } = await rig.call(method, path.replaceAll(/:[a-z]+/gi, '1'))
      expect([method, path, status]).toEqual([method, path, open.includes(path) ? 200 : 401])
    }
  })

  it('does not ask for the body of a request without the token', async () => {
    const host = `127.0.0.1:${rig.port}`
    const head = `POST /v1/executions HTTP/1.1\r\nhost: ${host}\r\ncontent-length: 10\r\nexpect: 100-continue\r\n\r\n`
    expect((await rawRequest(rig.port, head)).match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 401'])
  })

  it('refuses other spellings of a path', async () => {
    const host = `127.0.0.1:${rig.port}`
    const targets = [
      ...['/V1/projects', '//v1/projects', '/v1//projects', '/./v1/projects', '/x/../v1/projects', '/v1./projects'],
      ...[
        '/v1/projects/',
        '/v1/projects.',
        '/v1%2Fprojects',
        '/%76%31/projects',
        '/%2576%2531/projects',
        '/v1;/projects',
      ],
      ...['/local//v1/projects', '/local/v1%2Fprojects', '/%6cocal/v1/projects', '/local/local/v1/projects'],
      ...['/healthz/../v1/projects', '/assets/../v1/projects', '/v1/projects?x=/healthz', '/v1\\projects', '*'],
      ...[`http://${host}/v1/projects`, `HTTP://${host}/v1/projects`, `http://${host}/local/v1/projects`],
      ...[`http://${host}?x/v1/projects`, `http://${host}#/v1/projects`, `http://${host}//v1/projects`],
    ]
    for (const target of targets) {
      const answer = await rawRequest(rig.port, `GET ${target} HTTP/1.1\r\nhost: ${host}\r\nconnection: close\r\n\r\n`)
      expect(answer, target).toMatch(/^HTTP\/1\.1 \d{3} /)
      expect(answer, target).not.toContain('isDefault')
    }
  })

  it('refuses other tokens, and parts of the token', async () => {
    for (const token of ['other', TOKEN.slice(1), `${TOKEN}x`]) {
      expect((await rig.call('GET', '/v1/projects', { headers: bearer(token) })).status).toBe(401)
    }
    expect((await rig.call('GET', '/v1/projects', { headers: { authorization: TOKEN } })).status).toBe(401)
  })

  it.each([[[TOKEN, 'other']], [['other', TOKEN]], [[TOKEN, TOKEN]], [['', TOKEN]]])(
    'refuses several Authorization headers, whichever has the token: %j',
    async (tokens) => {
      const sent = tokens.map((token) => `authorization: Bearer ${token}\r\n`).join('')
      const answer = await rawRequest(
        rig.port,
        `GET /v1/projects HTTP/1.1\r\nhost: localhost:${rig.port}\r\n${sent}connection: close\r\n\r\n`,
      )
      expect(readRaw(answer)).toMatchObject({
        status: 400,
        json: { error: { code: 'invalid_request', message: 'headers/authorization must come once' } },
      })
    },
  )

  it('accepts the token on every route, including the stream of changes', async () => {
    expect((await rig.call('GET', '/v1/projects', { headers: bearer() })).status).toBe(200)
    const status = await new Promise((resolve, reject) => {
      httpRequest(`${rig.origin}/v1/changes`, { headers: bearer() }, (answer) => {
        resolve(answer.statusCode)
        answer.destroy()
      })
        .on('error', reject)
        .end()
    })
    expect(status).toBe(200)
  })

  it('serves its page and its health check to everybody', async () => {
    for (const path of ['/healthz', '/openapi.json']) expect((await rig.call('GET', path)).status).toBe(200)
    expect((await rig.call('GET', '/', { headers: { accept: 'text/html' } })).status).toBe(200)
  })

  it('still refuses other hosts and origins, also with the token', async () => {
    const foreign = { ...bearer(), origin: 'http://evil.example' }
    expect((await rig.call('GET', '/v1/projects', { headers: foreign })).json.error.code).toBe('forbidden_origin')
  })
})

describe('a page’s session', () => {
  it('is opened once with the code of a link, and replaces the token', async () => {
    const link = { headers: bearer(), json: { onlySameUser: true } }
    const { code } = (await rig.call('POST', '/local/link', link)).json as never as { code: string }
    const opened = await exchange(code)
    expect(opened.status).toBe(201)
    const { key } = opened.json as never as { key: string }
    expect((await rig.call('GET', '/v1/projects', { headers: { 'x-wes-session': key } })).status).toBe(200)
    expect((await exchange(code)).json.error.code).toBe('unauthorized')
  })

  it('is opened only by the same user, if the link was made so; the attempts of others do not use it up', () => {
    const code = rig.access.newCode(true)!
    expect(rig.access.exchange(code, () => false)).toBeUndefined()
    expect(rig.access.exchange(code, () => true)).toBeTypeOf('string')
    expect(rig.access.exchange(rig.access.newCode()!, () => false)).toBeTypeOf('string')
  })

  it('is not opened with a code that is older than ten minutes', async () => {
    const code = rig.access.newCode()
    now += 600_001
    expect((await exchange(code)).status).toBe(401)
  })

  it('is refused for the key of another runtime, with the message that it has ended', async () => {
    const answer = await rig.call('GET', '/v1/projects', { headers: { 'x-wes-session': 'of-before' } })
    expect(answer.json.error.message).toContain('The session of this page has ended')
  })

  it('is only for pages of this runtime: with their origin, and JSON', async () => {
    const code = rig.access.newCode()
    const withoutOrigin = await rig.call('POST', '/local/session', { json: { code } })
    expect(withoutOrigin.json.error.code).toBe('forbidden_origin')
    expect((await exchange(code, { origin: 'http://evil.example' })).json.error.code).toBe('forbidden_origin')
    const text = { origin: rig.origin, 'content-type': 'text/plain' }
    const asText = await rig.call('POST', '/local/session', { body: JSON.stringify({ code }), headers: text })
    expect(asText.status).toBe(415)
    expect((await exchange(undefined)).json.error.code).toBe('invalid_request')
    expect((await exchange(code)).status).toBe(201)
  })

  it('has a limited number of codes and keys', async () => {
    const first = rig.access.newCode()
    for (let index = 0; index < 100; index++) rig.access.newCode()
    expect((await exchange(first)).status).toBe(401)
  })
})

describe('a runtime without a token', () => {
  it('requires none, and has no codes', async () => {
    const open = await createHttpRig()
    try {
      expect((await open.call('GET', '/v1/projects')).status).toBe(200)
      expect((await open.call('POST', '/local/link')).json).toEqual({ code: null, page: `${open.origin}/` })
    } finally {
      await open.close()
    }
  })
})
