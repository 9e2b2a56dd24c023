import { once } from 'node:events'
import { request as httpRequest, type IncomingMessage } from 'node:http'
import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { linkProof } from '../identity/identity-proof.ts'
import { createHttpRig, INSTANCE_ID, SECRET, type HttpRig } from './http-rig.test-support.ts'
import { rawRequest } from './raw-request.test-support.ts'

let rig: HttpRig
let handle: (request: Request) => Promise<Response>
let key: string
const seen: Request[] = []
beforeAll(async () => {
  const connections = (request: Request) => {
    seen.push(request)
    return handle(request)
  }
  rig = await createHttpRig({ connections })
  const headers = { origin: rig.origin }
  const opened = await rig.call('POST', '/local/session', { json: { code: rig.access.newCode() }, headers })
  key = (opened.json as never as { key: string }).key
})
beforeEach(() => {
  seen.length = 0
  handle = () => Promise.resolve(Response.json({ ok: true }))
})
afterAll(() => rig.close())

const session = () => ({ 'x-wes-session': key })
/** An answer whose body is still to come. */
const open = async (method: string, path: string): Promise<IncomingMessage> => {
  const outgoing = httpRequest(`${rig.origin}${path}`, { method, headers: session() }).end()
  const [answer] = (await once(outgoing, 'response')) as [IncomingMessage]
  return answer
}

const PATHS = ['/local/connections', '/local/connections/acme', '/hosted/acme/v1/projects', '/hosted/x', '/hosted/']

describe('hosted connections of a runtime without a token', () => {
  it('are for pages with a session', async () => {
    for (const path of PATHS) expect((await rig.call('GET', path, { headers: session() })).status).toBe(200)
    expect(seen.map(({ url }) => new URL(url).pathname)).toEqual(PATHS)
  })

  it.each(['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])('refuse %s without a session', async (method) => {
    const keys: readonly Record<string, string>[] = [
      {},
      { 'x-wes-session': '' },
      { 'x-wes-session': 'other' },
      { authorization: `Bearer ${key}` },
      { cookie: `x-wes-session=${key}` },
    ]
    for (const path of PATHS) {
      for (const headers of keys) {
        const answer = await rig.call(method, path, { headers })
        expect([answer.status, answer.json.error.code]).toEqual([401, 'session_required'])
        expect(answer.json.error.message).toContain('`wes link`')
      }
    }
    expect(seen).toEqual([])
  })

  it('answer with the time of the service, and with none where it does not answer', async () => {
    const ask = async (headers = session()) =>
      (await rig.call('GET', '/hosted/acme/v1/projects', { headers })).headers['date']
    expect(await ask()).toBeUndefined()
    expect(await ask({ 'x-wes-session': 'other' })).toBeUndefined()
    const date = 'Thu, 01 Jan 2026 00:00:00 GMT'
    handle = () => Promise.resolve(Response.json({ ok: true }, { headers: { date } }))
    expect(await ask()).toBe(date)
  })

  it('say that a session has ended', async () => {
    const answer = await rig.call('GET', '/local/connections', { headers: { 'x-wes-session': 'of-before' } })
    expect(answer.json.error.message).toContain('The session of this page has ended.')
  })

  it('refuse other hosts and origins, whatever else they send', async () => {
    const host = `127.0.0.1:${rig.port}`
    const foreign: readonly Record<string, string>[] = [
      { origin: 'http://evil.example' },
      { origin: 'null' },
      { origin: `http://localhost:${rig.port + 1}` },
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site' },
      { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' },
    ]
    for (const path of PATHS) {
      for (const headers of foreign) {
        const answer = await rig.call('GET', path, { headers: { ...session(), ...headers } })
        expect([answer.status, answer.json.error.code]).toEqual([403, 'forbidden_origin'])
        expect(answer.headers).not.toHaveProperty('access-control-allow-origin')
      }
    }
    for (const wrong of ['evil.example', `evil.example:${rig.port}`, 'localhost']) {
      const answer = await rawRequest(
        rig.port,
        `GET /local/connections HTTP/1.1\r\nhost: ${wrong}\r\nx-wes-session: ${key}\r\nconnection: close\r\n\r\n`,
      )
      expect(answer).toContain('forbidden_host')
    }
    const preflight = `OPTIONS /hosted/acme/v1/projects HTTP/1.1\r\nhost: ${host}\r\norigin: http://evil.example\r\naccess-control-request-method: GET\r\naccess-control-request-headers: x-wes-session\r\nconnection: close\r\n\r\n`
    expect(await rawRequest(rig.port, preflight)).toMatch(/^HTTP\/1\.1 403 /)
    expect(seen).toEqual([])
  })

  it('are reached by no other spelling of a path without a session', async () => {
    const host = `127.0.0.1:${rig.port}`
    const targets = [
      '/%68osted/acme/v1/x',
      '/hosted%2Facme/v1/x',
      '//hosted/acme/v1/x',
      '/x/../hosted/acme/v1/x',
      '/local//connections',
    ]
    for (const target of [
      ...targets,
      '/Local/connections',
      `http://${host}/local/connections`,
      '/local/v1/../connections',
    ]) {
      const answer = await rawRequest(rig.port, `GET ${target} HTTP/1.1\r\nhost: ${host}\r\nconnection: close\r\n\r\n`)
      expect(answer, target).toMatch(/^HTTP\/1\.1 40[14] /)
    }
    expect(seen).toEqual([])
  })

  it('pass a request as it came: its query, headers and body', async () => {
    let body: unknown
    handle = async (request) => {
      body = await request.json()
      return Response.json({ made: true }, { status: 201, headers: { location: '/v1/x' } })
    }
    const headers = { ...session(), 'idempotency-key': 'k', prefer: 'wait=1' }
    const answer = await rig.call('POST', '/hosted/acme/v1/x?a=1&b=%20', { json: { text: 'ü' }, headers })
    expect([answer.status, answer.headers['location'], answer.text]).toEqual([201, '/v1/x', '{"made":true}'])
    expect(body).toEqual({ text: 'ü' })
    const [request] = seen
    expect(new URL(request!.url).search).toBe('?a=1&b=%20')
    expect(request!.headers.get('idempotency-key')).toBe('k')
    expect(request!.headers.get('content-type')).toBe('application/json')
  })

  it('take larger bodies than /v1 does elsewhere', async () => {
    handle = async (request) => Response.json((await request.arrayBuffer()).byteLength)
    const answer = await rig.call('POST', '/hosted/acme/v1/programs/deploy', {
      json: 'x'.repeat(8 * 1024 * 1024),
      headers: session(),
    })
    expect(answer.text).toBe(String(8 * 1024 * 1024 + 2))
  })

  it('stream events, and end them when their reader is gone', async () => {
    let events: ReadableStreamDefaultController | undefined
    const cancelled = Promise.withResolvers<void>()
    handle = () => {
      const body = new ReadableStream({
        start: (controller) => void (events = controller),
        cancel: () => cancelled.resolve(),
      })
      return Promise.resolve(new Response(body, { headers: { 'content-type': 'text/event-stream' } }))
    }
    const answer = await open('GET', '/hosted/acme/v1/changes')
    expect(answer.headers['content-type']).toBe('text/event-stream')
    events!.enqueue(new TextEncoder().encode('data: 1\n\n'))
    const [first] = (await once(answer, 'data')) as [Buffer]
    expect(first.toString()).toBe('data: 1\n\n')
    answer.destroy()
    await cancelled.promise
    await expect.poll(() => seen[0]!.signal.aborted).toBe(true)
  })

  it('cut off an answer that breaks off', async () => {
    handle = () => {
      const body = new ReadableStream({
        start: (controller) => controller.enqueue(new TextEncoder().encode('{"items":[')),
        pull: (controller) => controller.error(new Error('cut off')),
      })
      return Promise.resolve(new Response(body, { headers: { 'content-type': 'application/json' } }))
    }
    const answer = await open('GET', '/hosted/acme/v1/executions')
    answer.resume()
    await expect(once(answer, 'end')).rejects.toThrow('aborted')
  })

  it('answer 500 when their handler fails', async () => {
    handle = () => Promise.reject(new Error('of the test'))
    const answer = await rig.call('GET', '/local/connections', { headers: session() })
    expect([answer.status, answer.json.error.code]).toEqual([500, 'internal'])
    expect(answer.text).not.toContain('of the test')
  })

  it('leave /v1 to everybody on this machine', async () => {
    expect((await rig.call('GET', '/v1/projects')).status).toBe(200)
    expect((await rig.call('GET', '/local/v1/projects', { headers: { 'x-wes-session': 'of-before' } })).status).toBe(
      200,
    )
  })
})

describe('a request for a hosted connection', () => {
  it('is refused if its method is never used', async () => {
    const { status, headers, json } = await rig.call('TRACE', '/hosted/acme/v1/projects', { headers: session() })
    expect([status, json.error.code, headers['allow']]).toEqual([
      405,
      'method_not_allowed',
      'GET, HEAD, POST, PUT, PATCH, DELETE',
    ])
    expect(seen).toEqual([])
  })

  it('gets its answer when nobody reads its long body', async () => {
    handle = async ({ body }) => {
      await body?.cancel()
      return Response.json({ error: { code: 'payload_too_large', message: 'x' } }, { status: 413 })
    }
    const headers = { ...session(), 'content-type': 'application/json' }
    const body = Buffer.alloc(8 * 1024 * 1024, 'x')
    expect((await rig.call('POST', '/local/connections', { headers, body })).status).toBe(413)
  })

  it('is answered, and is no fault, when the runtime stops before the service answers', async () => {
    const stopped = await createHttpRig({ connections: (request) => handle(request) })
    const asked = new Promise<void>((resolve) => {
      handle = ({ signal }) =>
        new Promise((_answer, reject) => {
          signal.addEventListener('abort', () => reject(signal.reason as Error))
          resolve()
        })
    })
    const origin = { origin: stopped.origin }
    const json = { code: stopped.access.newCode() }
    const opened = await stopped.call('POST', '/local/session', { json, headers: origin })
    const headers = { 'x-wes-session': (opened.json as never as { key: string }).key }
    const faults = vi.spyOn(stopped.log, 'error')
    const answer = stopped.call('GET', '/hosted/acme/v1/projects', { headers })
    await asked
    const closed = stopped.close()
    expect(await answer).toMatchObject({ status: 503, json: { error: { code: 'unavailable' } } })
    await closed
    expect(faults).not.toHaveBeenCalled()
  })
})

describe('a link of a runtime without a token', () => {
  const prove = (secret = SECRET, challenge = randomBytes(32).toString('base64url')) => ({
    challenge,
    proof: linkProof(secret, { challenge, instanceId: INSTANCE_ID, port: rig.port }),
  })
  const ask = async (json?: unknown) => {
    const { status, json: answer } = await rig.call('POST', '/local/link', json === undefined ? {} : { json })
    return { status, code: (answer as { code?: string }).code }
  }

  it('is for whoever proves to know the secret of runtime.json, once for each proof', async () => {
    const proof = prove()
    const { status, code } = await ask(proof)
    expect(status).toBe(201)
    expect(code).toMatch(/^[\w-]{32}$/)
    expect(await ask(proof)).toEqual({ status: 401, code: undefined })
  })

  it('is for nobody else', async () => {
    const challenge = randomBytes(32).toString('base64url')
    const health = await rig.call('GET', `/healthz?challenge=${challenge}`)
    const ofHealth = { challenge, proof: (health.json as never as { proof: string }).proof }
    const wrong = [undefined, {}, null, prove('other'), { ...prove(), proof: '' }, { ...prove(), challenge }, ofHealth]
    for (const body of wrong) expect(await ask(body)).toEqual({ status: 401, code: undefined })
    const withKey = await rig.call('POST', '/local/link', { headers: session() })
    expect(withKey.status).toBe(401)
  })
})

describe('a runtime that offers no connections', () => {
  it('has none of their routes', async () => {
    const without = await createHttpRig()
    for (const path of PATHS) expect((await without.call('GET', path)).status).toBe(404)
    await without.close()
  })
})

describe('a runtime with a token', () => {
  it('takes neither the token nor nothing for a session', async () => {
    const guarded = await createHttpRig({ token: 'a-token', connections: handle })
    const headers = { authorization: 'Bearer a-token' }
    for (const path of PATHS) expect((await guarded.call('GET', path, { headers })).status).toBe(401)
    await guarded.close()
  })
})

describe('a runtime that stops', () => {
  it('ends the streams of its connections', async () => {
    const connections = ({ signal }: Request) => {
      const body = new ReadableStream({
        start: (controller) => {
          controller.enqueue(new TextEncoder().encode('data: 1\n\n'))
          signal.addEventListener('abort', () => controller.close())
        },
      })
      return Promise.resolve(new Response(body, { headers: { 'content-type': 'text/event-stream' } }))
    }
    const stopping = await createHttpRig({ connections })
    const headers = { origin: stopping.origin }
    const opened = await stopping.call('POST', '/local/session', { json: { code: stopping.access.newCode() }, headers })
    const { key: ofIt } = opened.json as never as { key: string }
    const outgoing = httpRequest(`${stopping.origin}/hosted/a/v1/changes`, { headers: { 'x-wes-session': ofIt } }).end()
    const [answer] = (await once(outgoing, 'response')) as [IncomingMessage]
    const ended = once(answer.resume(), 'end')
    await stopping.close()
    await expect(ended).resolves.toEqual([])
  })
})
