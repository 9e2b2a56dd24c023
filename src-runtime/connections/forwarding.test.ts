// Real sockets: services that answer rightly, wrongly, late, or not at all.

import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import { type AddressInfo, createServer as createTcpServer } from 'node:net'
import { describe, expect, it, onTestFinished } from 'vitest'
import { answered, type ConnectionsRig, createConnectionsRig } from './connections-rig.test-support.ts'
import { HEALTH, type ScriptedService, sendJson, startService } from './scripted-service.test-support.ts'
import { SELF_SIGNED } from './self-signed.test-support.ts'

const TOKEN = 'wes_a-token-of-the-test'

const start = async (...how: Parameters<typeof startService>): Promise<ScriptedService> => {
  const service = await startService(...how)
  onTestFinished(service.close)
  return service
}
const createRig = (options?: Parameters<typeof createConnectionsRig>[0]): ConnectionsRig => {
  const rig = createConnectionsRig(options)
  onTestFinished(rig.dispose)
  return rig
}
/** A connection `acme` to that address. */
const connected = async (address: string, options?: Parameters<typeof createConnectionsRig>[0]) => {
  const rig = createRig(options)
  await rig.add('Acme', address, TOKEN)
  return rig
}
const decoded = async (reader: ReadableStreamDefaultReader<Uint8Array>) =>
  new TextDecoder().decode((await reader.read()).value)

describe('forwarding to a hosted service', () => {
  it('sends a request with the token and a fixed list of headers, and returns the answer with a fixed list', async () => {
    const service = await start((response) => {
      response.writeHead(201, {
        'content-type': 'application/json; charset=utf-8',
        location: '/v1/executions/exe_1',
        etag: '"1"',
        'retry-after': '1',
        'preference-applied': 'wait=1',
        'set-cookie': 'a=b',
        'www-authenticate': 'Bearer',
        'access-control-allow-origin': '*',
        'content-security-policy': "default-src 'none'",
        'clear-site-data': '"*"',
        'x-other': '1',
      })
      response.end('{"id":1}')
    })
    const rig = await connected(service.url)
    const crossing = {
      accept: 'application/json',
      'content-type': 'application/json',
      'idempotency-key': 'k',
      'if-match': '"1"',
      'last-event-id': '7',
      prefer: 'wait=1',
      'x-service-project-id': 'prj_1',
    }
    const answer = await rig.request('POST', '/hosted/acme/v1/executions?limit=1&q=%20a', {
      body: '{"programId":"a"}',
      headers: {
        ...crossing,
        authorization: 'Bearer other',
        cookie: 'a=b',
        origin: 'http://localhost:3477',
        'sec-fetch-site': 'same-origin',
        'x-wes-session': 'key',
        'x-forwarded-for': '1.2.3.4',
        'user-agent': 'a browser',
      },
    })
    expect(answer.status).toBe(201)
    expect(await answer.json()).toEqual({ id: 1 })
    expect(Object.fromEntries(answer.headers)).toEqual({
      'cache-control': 'no-store',
      'content-type': 'application/json; charset=utf-8',
      date: expect.any(String),
      etag: '"1"',
      location: '/v1/executions/exe_1',
      'preference-applied': 'wait=1',
      'retry-after': '1',
      'x-content-type-options': 'nosniff',
    })
    const [health, sent] = service.seen
    expect(health).toMatchObject({ method: 'GET', url: '/healthz' })
    expect(JSON.stringify(health)).not.toContain(TOKEN)
    expect(sent).toMatchObject({ method: 'POST', url: '/v1/executions?limit=1&q=%20a', body: '{"programId":"a"}' })
    const { host: _host, connection: _connection, 'transfer-encoding': _encoding, ...headers } = sent!.headers
    expect(headers).toEqual({ ...crossing, authorization: `Bearer ${TOKEN}`, 'accept-encoding': 'identity' })
  })

  it('keeps the prefix of an address', async () => {
    const service = await start(undefined, undefined)
    service.server.removeAllListeners('request').on('request', (request, response: ServerResponse) => {
      sendJson(response, request.url === '/some/prefix/healthz' ? HEALTH : { url: request.url as unknown })
    })
    const rig = await connected(`${service.url}/some/prefix/`)
    const { text } = await rig.call('GET', '/hosted/acme/v1/projects?a=1')
    expect(text).toBe('{"url":"/some/prefix/v1/projects?a=1"}')
  })

  it('asks /healthz once for many requests, and again after a failure', async () => {
    let isDown = false
    const service = await start((response) => void (isDown ? response.destroy() : sendJson(response, {})))
    const rig = await connected(service.url)
    await Promise.all([1, 2, 3].map(() => rig.call('GET', '/hosted/acme/v1/projects')))
    const looks = () => service.seen.length - service.meant().length
    expect(looks()).toBe(1)
    isDown = true
    expect((await rig.call('POST', '/hosted/acme/v1/executions', {})).code).toBe('unreachable')
    isDown = false
    expect((await rig.call('GET', '/hosted/acme/v1/projects')).status).toBe(200)
    expect(looks()).toBe(2)
  })

  it('returns errors of the service unchanged, but says whose token was refused', async () => {
    const forbidden = { error: { code: 'forbidden', message: 'This needs a token with the role "admin".' } }
    const refused = { error: { code: 'unauthorized', message: 'The bearer token is missing.' } }
    const service = await start((response, { url }) =>
      url === '/v1/a' ? sendJson(response, forbidden, 403) : sendJson(response, refused, 401),
    )
    const rig = await connected(service.url)
    const denied = await rig.call('GET', '/hosted/acme/v1/a')
    expect([denied.status, JSON.parse(denied.text)]).toEqual([403, forbidden])
    const { status, code, message } = await rig.call('GET', '/hosted/acme/v1/b')
    expect({ status, code }).toEqual({ status: 401, code: 'unauthorized' })
    expect(message).toMatch(/^Acme \(127\.0\.0\.1:\d+\) refused the token: it was revoked, has expired or is wrong\./)
  })

  it('returns answers without a body', async () => {
    const service = await start((response, { method }) => {
      if (method === 'PUT') response.writeHead(202, { 'content-length': 0 }).end()
      else response.writeHead(method === 'HEAD' ? 200 : 204).end()
    })
    const rig = await connected(service.url)
    expect((await rig.call('DELETE', '/hosted/acme/v1/executions/exe_1')).status).toBe(204)
    expect((await rig.call('HEAD', '/hosted/acme/v1/executions')).status).toBe(200)
    expect((await rig.call('PUT', '/hosted/acme/v1/x')).status).toBe(202)
  })

  it.each([
    '/hosted/acme/v1',
    '/hosted/acme/healthz',
    '/hosted/acme/v2/x',
    '/hosted/acme/v1/../healthz',
    '/hosted/acme/v1/%2e%2e/healthz',
    '/hosted/acme/v1/..%2fhealthz',
    '/hosted/acme/v1/a%2f..%2f..%2f..%2fhealthz',
    '/hosted/acme/v1/..%5chealthz',
    '/hosted/acme/v1\\..\\healthz',
    '/hosted/acme/v1/%',
    '/hosted//v1/projects',
    '/hosted/acme//v1/projects',
    '/hosted/v1/projects',
    '/local/v1/projects',
  ])('sends nothing for %s', async (path) => {
    const service = await start()
    const rig = await connected(service.url)
    expect((await rig.call('GET', path)).status).toBe(404)
    expect(service.seen).toEqual([])
  })

  it('knows no other connections', async () => {
    const rig = createRig()
    for (const id of ['acme', 'ACME', 'a'.repeat(500), '%00', 'hosted', 'current', 'local', '__proto__']) {
      const { status, code } = await rig.call('GET', `/hosted/${id}/v1/projects`)
      expect({ id, status, code }).toEqual({ id, status: 404, code: 'connection_not_found' })
    }
  })

  it('keeps two connections apart', async () => {
    const [one, other] = [await start(), await start()]
    const rig = await connected(one.url)
    await rig.add('Other', other.url, 'wes_other')
    await Promise.all(['acme', 'other', 'acme'].map((id) => rig.call('GET', `/hosted/${id}/v1/of-${id}`)))
    const sent = (service: ScriptedService) => service.meant().map(({ url, headers }) => [url, headers.authorization])
    expect(sent(one)).toEqual(Array(2).fill(['/v1/of-acme', `Bearer ${TOKEN}`]))
    expect(sent(other)).toEqual([['/v1/of-other', 'Bearer wes_other']])
  })
})

describe('a service that is not as it should be', () => {
  it.each([301, 302, 303, 307, 308, 300])(
    'is not followed when it redirects with %d, at first or later',
    async (status) => {
      const elsewhere = await start()
      const redirect = (response: ServerResponse) =>
        void response.writeHead(status, { location: `${elsewhere.url}/login?secret=1` }).end()
      for (const service of [await start(redirect), await start(undefined, redirect)]) {
        const rig = await connected(service.url)
        const answer = await rig.call('POST', '/hosted/acme/v1/executions', {})
        expect([answer.status, answer.code]).toEqual([502, 'redirected'])
        expect(answer.message).toContain(`redirects to ${elsewhere.url}. The redirect was not followed`)
        expect(answer.text).not.toContain('secret')
        expect(answer.headers.get('location')).toBeNull()
      }
      expect(elsewhere.seen).toEqual([])
    },
  )

  const html = (response: ServerResponse) => void response.writeHead(200, { 'content-type': 'text/html' }).end('<html>')
  it.each<[string, number, string, (response: ServerResponse) => void]>([
    ['a web page', 502, 'not_the_service', html],
    ['text', 502, 'not_the_service', (response) => void response.end('ok')],
    [
      'a picture',
      502,
      'not_the_service',
      (response) => void response.writeHead(200, { 'content-type': 'image/png' }).end('x'),
    ],
    [
      'what is not JSON',
      502,
      'not_the_service',
      (response) => void response.writeHead(200, { 'content-type': 'application/json' }).end('{'),
    ],
    [
      'compressed JSON',
      502,
      'not_the_service',
      (response) =>
        void response.writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' }).end('x'),
    ],
    [
      'endless JSON',
      502,
      'not_the_service',
      (response) =>
        void response.writeHead(200, { 'content-type': 'application/json' }).end(`"${'x'.repeat(100_000)}"`),
    ],
    [
      'a gateway’s error',
      503,
      'unreachable',
      (response) => void response.writeHead(502, { 'content-type': 'text/html' }).end('x'),
    ],
    [
      'an impossible status',
      503,
      'unreachable',
      (response) => void response.socket!.end('HTTP/1.1 999 What\r\ncontent-length: 0\r\n\r\n'),
    ],
    ['no HTTP', 503, 'unreachable', (response) => void response.socket!.end('SSH-2.0\r\n')],
    ['nothing, and hangs up', 503, 'unreachable', (response) => void response.destroy()],
    ['as a local runtime', 502, 'wrong_service', (response) => sendJson(response, { ...HEALTH, mode: 'local' })],
    ['as something else', 502, 'wrong_service', (response) => sendJson(response, { name: 'api' })],
    ['as a newer version', 502, 'newer_service', (response) => sendJson(response, { ...HEALTH, version: '3.0.0' })],
  ])('gets no token if it answers %s', async (_what, status, code, health) => {
    const service = await start(undefined, health)
    const rig = await connected(service.url)
    const answer = await rig.call('GET', '/hosted/acme/v1/projects')
    expect([answer.status, answer.code]).toEqual([status, code])
    expect(answer.message).toContain('Acme (127.0.0.1:')
    expect(answer.headers.get('content-type')).toContain('json')
    expect(JSON.stringify(service.seen)).not.toContain(TOKEN)
    expect(rig.unexpected).toEqual([])
  })

  it('is named when it answers a request with a web page', async () => {
    const rig = await connected((await start(html)).url)
    expect((await rig.call('GET', '/hosted/acme/v1/projects')).code).toBe('not_the_service')
  })

  it('is named when it switches to another protocol, which nobody asked for', async () => {
    const switching = (response: ServerResponse): void =>
      void response.socket?.end('HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n')
    const rig = await connected((await start(switching)).url)
    const answer = await rig.call('GET', '/hosted/acme/v1/projects')
    expect([answer.status, answer.code]).toEqual([503, 'unreachable'])
  })

  it('is named when nothing listens, there is no such host, or its certificate is not trusted', async () => {
    const gone = await start()
    await gone.close()
    const tls = createTlsServer(SELF_SIGNED, (_request, response) => sendJson(response, HEALTH))
    const plain = await start()
    onTestFinished(() => void tls.close())
    await once(tls.listen(0, '127.0.0.1'), 'listening')
    const rig = createRig()
    const addresses = [
      [gone.url, 'nothing accepts connections at 127.0.0.1'],
      ['https://no-such-host.invalid', /there is no host no-such-host|cannot be looked up/],
      [
        `https://localhost:${(tls.address() as AddressInfo).port}`,
        /its certificate is refused: this computer does not trust .* NODE_EXTRA_CA_CERTS/,
      ],
      [plain.url.replace('http:', 'https:'), 'no TLS connection to 127.0.0.1'],
    ] as const
    for (const [index, [address, message]] of addresses.entries()) {
      await rig.add(`c${index}`, address, TOKEN)
      const answer = await rig.call('GET', `/hosted/c${index}/v1/projects`)
      expect([answer.status, answer.code]).toEqual([503, 'unreachable'])
      expect(answer.message).toMatch(message)
    }
    expect(rig.unexpected).toEqual([])
  })

  it('is too slow without a head in time, beyond what the request is ready to wait', async () => {
    const holding = new Map<string, ServerResponse>()
    const service = await start((response, { url }) => void holding.set(url, response))
    const rig = await connected(service.url, { headLimitMs: 100 })
    const waiting = rig.request('GET', '/hosted/acme/v1/result', { headers: { prefer: 'wait=20' } })
    await expect.poll(() => holding.size).toBe(1)
    const answer = await rig.call('GET', '/hosted/acme/v1/projects')
    expect([answer.status, answer.code]).toEqual([504, 'too_slow'])
    await expect.poll(() => holding.get('/v1/projects')!.destroyed).toBe(true)
    // It began before the one that was too slow.
    sendJson(holding.get('/v1/result')!, { status: 'completed' })
    expect((await waiting).status).toBe(200)
  })

  it('is too slow when it accepts connections and says nothing, also to /healthz', async () => {
    const silent = createTcpServer(() => {})
    onTestFinished(() => void silent.close())
    await once(silent.listen(0, '127.0.0.1'), 'listening')
    const rig = await connected(`http://127.0.0.1:${(silent.address() as AddressInfo).port}`, { headLimitMs: 100 })
    expect((await rig.call('GET', '/hosted/acme/v1/projects')).code).toBe('too_slow')
  })

  it('is too slow when its answer to a check stalls after the head, and is asked again', async () => {
    let stalls: string | undefined = '/healthz'
    const answer = (response: ServerResponse, url: string, value: unknown): void => {
      if (url !== stalls) return sendJson(response, value)
      response.writeHead(200, { 'content-type': 'application/json' }).write('{')
    }
    const service = await start(
      (response, { url }) => answer(response, url, {}),
      (response) => answer(response, '/healthz', HEALTH),
    )
    const rig = await connected(service.url, { headLimitMs: 100 })
    expect((await rig.call('GET', '/hosted/acme/v1/projects')).code).toBe('too_slow')
    stalls = '/v1/whoami'
    expect((await rig.call('GET', '/hosted/acme/v1/projects')).status).toBe(200)
    const tested = await rig.call('POST', '/local/connections/test', { id: 'acme' })
    expect([tested.status, tested.code]).toEqual([504, 'too_slow'])
    expect(rig.unexpected).toEqual([])
  })

  it('fails what it had begun to answer when it dies midway', async () => {
    const service = await start((response) => {
      response.writeHead(200, { 'content-type': 'application/json' }).write('{"items":[')
    })
    const rig = await connected(service.url)
    const answer = await rig.request('GET', '/hosted/acme/v1/executions')
    const text = answer.text()
    service.server.closeAllConnections()
    await expect(text).rejects.toThrow(/aborted|cut off|terminated/)
  })

  it('is given up when it falls silent midway', async () => {
    const service = await start((response) => {
      response.writeHead(200, { 'content-type': 'application/json' }).write('{"items":[')
    })
    const rig = await connected(service.url, { idleMs: 100 })
    await expect((await rig.request('GET', '/hosted/acme/v1/executions')).text()).rejects.toThrow(/./)
  })
})

describe('a stream of events', () => {
  const withStream = async () => {
    const streams: ServerResponse[] = []
    const service = await start((response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' }).write('data: 1\n\n')
      streams.push(response)
    })
    const rig = await connected(service.url)
    const open = async () => {
      const headers = { accept: 'text/event-stream' }
      const answer = await rig.request('GET', '/hosted/acme/v1/changes', { headers })
      return { answer, reader: answer.body!.getReader() }
    }
    return { service, streams, rig, open }
  }

  it('arrives as it is sent, and ends at the service when its reader is gone', async () => {
    const { streams, open } = await withStream()
    const { answer, reader } = await open()
    expect(answer.headers.get('content-type')).toBe('text/event-stream; charset=utf-8')
    expect(await decoded(reader)).toBe('data: 1\n\n')
    streams[0]!.write('data: 2\n\n')
    expect(await decoded(reader)).toBe('data: 2\n\n')
    const closed = once(streams[0]!, 'close')
    await reader.cancel()
    await closed
  })

  it('ends at the service when its request is aborted', async () => {
    const { streams, rig } = await withStream()
    const aborting = new AbortController()
    await rig.request('GET', '/hosted/acme/v1/changes', { signal: aborting.signal })
    const closed = once(streams[0]!, 'close')
    aborting.abort()
    await expect(closed).resolves.toBeDefined()
  })

  it('ends when the service dies', async () => {
    const { service, open } = await withStream()
    const { reader } = await open()
    expect(await decoded(reader)).toBe('data: 1\n\n')
    service.server.closeAllConnections()
    expect((await reader.read()).done).toBe(true)
  })

  it('ends when its connection is removed, and others go on', async () => {
    const { service, streams, rig, open } = await withStream()
    await rig.add('Other', service.url)
    const { reader } = await open()
    const other = (await rig.request('GET', '/hosted/other/v1/changes')).body!.getReader()
    for (const one of [reader, other]) await decoded(one)
    const closed = once(streams[0]!, 'close')
    expect((await rig.call('DELETE', '/local/connections/acme')).status).toBe(204)
    expect((await reader.read()).done).toBe(true)
    await closed
    streams[1]!.write('data: 2\n\n')
    expect(await decoded(other)).toBe('data: 2\n\n')
    expect((await rig.call('GET', '/hosted/acme/v1/changes')).code).toBe('connection_not_found')
  })

  it('ends when its token is replaced; the next one has the new token', async () => {
    const { service, streams, rig, open } = await withStream()
    const { reader } = await open()
    await decoded(reader)
    const closed = once(streams[0]!, 'close')
    await rig.call('PUT', '/local/connections/acme/token', { token: 'wes_new', keep: 'run' })
    expect((await reader.read()).done).toBe(true)
    await closed
    await open()
    expect(service.meant().map(({ headers }) => headers.authorization)).toEqual([`Bearer ${TOKEN}`, 'Bearer wes_new'])
  })
})

describe('a request that waits for its answer', () => {
  const NEW_TOKEN = 'wes_the-new-token'
  /** Holds each answer until the test gives it, and tells which tokens came. */
  const withHeld = async () => {
    const held: ServerResponse[] = []
    const service = await start((response) => void held.push(response))
    const rig = await connected(service.url)
    const tokens = () => service.meant().map(({ headers }) => headers.authorization)
    const replace = () => rig.call('PUT', '/local/connections/acme/token', { token: NEW_TOKEN, keep: 'run' })
    return { held, rig, tokens, replace }
  }

  it.each(['application/json', 'text/event-stream'])(
    'is sent again with the new token when its token is replaced, if it only reads %s',
    async (accept) => {
      const { held, rig, tokens, replace } = await withHeld()
      const list = rig.request('GET', '/hosted/acme/v1/executions', { headers: { accept } })
      await expect.poll(() => held.length).toBe(1)
      await replace()
      await expect.poll(() => held.length).toBe(2)
      expect(held[0]!.destroyed).toBe(true)
      sendJson(held[1]!, { items: [] })
      expect((await answered(await list)).text).toBe('{"items":[]}')
      expect(tokens()).toEqual([`Bearer ${TOKEN}`, `Bearer ${NEW_TOKEN}`])
    },
  )

  it('is not sent again when its token is replaced, if it may have changed something', async () => {
    const { held, rig, tokens, replace } = await withHeld()
    const started = rig.call('POST', '/hosted/acme/v1/executions', {})
    await expect.poll(() => held.length).toBe(1)
    await replace()
    const { status, code, message } = await started
    expect([status, code]).toEqual([503, 'unreachable'])
    expect(message).toBe(
      'The token of Acme was replaced before the answer came. Check whether the change was made, then try again.',
    )
    await expect.poll(() => held[0]!.destroyed).toBe(true)
    expect(tokens()).toEqual([`Bearer ${TOKEN}`])
  })

  it('is cut off when its token is replaced after its answer began', async () => {
    const { held, rig, replace } = await withHeld()
    const list = rig.request('GET', '/hosted/acme/v1/executions')
    await expect.poll(() => held.length).toBe(1)
    held[0]!.writeHead(200, { 'content-type': 'application/json' }).write('{"items":[')
    const text = (await list).text()
    await replace()
    await expect(text).rejects.toThrow(/./)
    await expect.poll(() => held[0]!.destroyed).toBe(true)
  })

  it('ends when its connection is removed', async () => {
    const { held, rig } = await withHeld()
    const list = rig.call('GET', '/hosted/acme/v1/executions')
    await expect.poll(() => held.length).toBe(1)
    await rig.call('DELETE', '/local/connections/acme')
    expect((await list).code).toBe('connection_not_found')
  })
})

describe('a body', () => {
  const MIB = 1024 * 1024
  const mebibytes = (count: number) => {
    let sent = 0
    return new ReadableStream<Uint8Array>({
      pull(controller) {
        if (sent === count) return controller.close()
        sent += 1
        controller.enqueue(new Uint8Array(MIB))
      },
    })
  }
  const deploy = async (rig: ConnectionsRig, count: number, headers: Record<string, string> = {}) =>
    answered(
      await rig.request('POST', '/hosted/acme/v1/programs/deploy', { body: mebibytes(count), headers, duplex: 'half' }),
    )

  it('is streamed, up to the size of the largest that the API takes', async () => {
    const service = await start((response, { body }) => sendJson(response, body.length))
    const rig = await connected(service.url)
    expect((await deploy(rig, 16)).text).toBe(String(16 * MIB))
  })

  it('is refused beyond it', async () => {
    const service = await start()
    const rig = await connected(service.url)
    const tooLong = await deploy(rig, 17)
    expect([tooLong.status, tooLong.code]).toEqual([413, 'payload_too_large'])
    expect((await deploy(rig, 1, { 'content-length': String(17 * MIB) })).code).toBe('payload_too_large')
    expect(service.meant()).toEqual([])
  })

  it('may be answered before it has come', async () => {
    const service = await start()
    service.server.removeAllListeners('request').on('request', (request, response: ServerResponse) => {
      if (request.url === '/healthz') return sendJson(response, HEALTH)
      sendJson(response, { error: { code: 'payload_too_large', message: 'too large' } }, 413)
    })
    const rig = await connected(service.url)
    expect((await deploy(rig, 2)).code).toBe('payload_too_large')
  })

  it('of an answer of any size passes, as fast as it is read', async () => {
    const service = await start((response) => {
      response.writeHead(200, { 'content-type': 'application/json' }).end(Buffer.alloc(32 * MIB, ' '))
    })
    const rig = await connected(service.url)
    const answer = await rig.request('GET', '/hosted/acme/v1/executions')
    expect((await answer.arrayBuffer()).byteLength).toBe(32 * MIB)
  })
})
