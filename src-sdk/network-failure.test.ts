import { createSecureServer } from 'node:http2'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { gzipSync } from 'node:zlib'
import { describe, expect, it, onTestFinished } from 'vitest'
import { SELF_SIGNED } from '../src-runtime/connections/self-signed.test-support.ts'
import { createClient, executionHandle } from './create-client.ts'
import { isPermanent, wasNeverConnected } from './network-failure.ts'
import { json, startScriptedServer } from './scripted-server.test-support.ts'
import type { FetchFunction } from './web-platform.ts'

/** As Node's `fetch` throws it. */
const failed = (code: string | undefined, message = 'inner'): TypeError =>
  new TypeError('fetch failed', { cause: Object.assign(new Error(message), { code }) })

const inDeno = (message: string): TypeError => new TypeError('fetch failed', { cause: new Error(message) })

const REFUSED_IN_DENO = inDeno('client error (Connect): tcp connect error: Connection refused (os error 111)')

describe('a failure that would come again', () => {
  it.each([
    'DEPTH_ZERO_SELF_SIGNED_CERT',
    'SELF_SIGNED_CERT_IN_CHAIN',
    'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
    'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
    'CERT_HAS_EXPIRED',
    'CERT_NOT_YET_VALID',
    'ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION',
    'ERR_SSL_SSL/TLS_ALERT_HANDSHAKE_FAILURE',
    'ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED',
    'ERR_TLS_CERT_ALTNAME_INVALID',
  ])('is a certificate that is refused with %s', (code) => {
    expect(isPermanent(failed(code))).toBe(true)
    expect(isPermanent(Object.assign(new Error('as in Bun'), { code }))).toBe(true)
  })

  it.each([
    failed('ERR_INVALID_URL'),
    failed(undefined, 'unknown scheme'),
    failed(undefined, 'bad port'),
    inDeno('invalid peer certificate: UnknownIssuer'),
    inDeno('client error (Connect): received corrupt message of type InvalidContentType'),
    new TypeError('Fetch failed: Requests to port 1 are blocked'),
    new TypeError('EPROTO: The TLS handshake failed. Does the server speak TLS on this port?'),
    inDeno('client error (Connect): proxy authentication required'),
    failed('UND_ERR_ABORTED', 'Proxy response (407) !== 200 when HTTP Tunneling'),
    Object.assign(new Error('Failed to establish tunnel'), { code: 'ERR_PROXY_TUNNEL', statusCode: 407 }),
    new ReferenceError('x is not defined'),
    new TypeError('answer.get is not a function'),
    new TypeError("Cannot read properties of undefined (reading 'a')"),
  ])('is %s', (thrown) => {
    expect(isPermanent(thrown)).toBe(true)
  })

  it.each([
    REFUSED_IN_DENO,
    failed('ECONNREFUSED'),
    failed('ECONNRESET'),
    failed('ENOTFOUND'),
    failed('UND_ERR_SOCKET', 'other side closed'),
    failed('UND_ERR_HEADERS_TIMEOUT'),
    new TypeError('Failed to fetch'),
    new TypeError('Load failed'),
    new TypeError('NetworkError when attempting to fetch resource.'),
    new TypeError('terminated'),
    'text',
    undefined,
  ])('is not %s', (thrown) => {
    expect(isPermanent(thrown)).toBe(false)
  })

  it('is told from a connection that was never made', () => {
    expect(wasNeverConnected(failed('ECONNREFUSED'))).toBe(true)
    expect(wasNeverConnected(failed('UND_ERR_CONNECT_TIMEOUT'))).toBe(true)
    expect(wasNeverConnected(REFUSED_IN_DENO)).toBe(true)
    expect(wasNeverConnected(failed('ECONNRESET'))).toBe(false)
    expect(wasNeverConnected(inDeno('Connection reset by peer (os error 104)'))).toBe(false)
  })
})

describe('result(), run() and the stream of changes end at once', () => {
  const expectFailures = async (
    options: { readonly url: string; readonly fetch?: FetchFunction },
    message: RegExp,
    refused = { status: 0, code: 'network_error' },
  ) => {
    const client = createClient(options)
    for (const attempt of [
      () => executionHandle(client, 'exe_1').result(),
      () => client.run('p'),
      () => client.streamChanges()[Symbol.asyncIterator]().next(),
    ]) {
      const failure = { ...refused, message: expect.stringMatching(message) }
      await expect(attempt()).rejects.toMatchObject(failure)
    }
  }

  it('if the certificate is self-signed', async () => {
    const server = createServer(SELF_SIGNED, (_request, response) => response.end('{}'))
    await new Promise<void>((resolve) => server.listen(0, 'localhost', resolve))
    onTestFinished(() => new Promise<void>((resolve) => server.close(() => resolve())))
    await expectFailures(
      { url: `https://localhost:${(server.address() as AddressInfo).port}` },
      /self-signed certificate/,
    )
  })

  it('if the server does not speak TLS', async () => {
    const server = await startScriptedServer(json(200, {}))
    onTestFinished(server.close)
    await expectFailures(
      { url: server.url.replace('http:', 'https:') },
      /got no answer: TLS failed: wrong version number$/,
    )
  })

  it('if the server offers HTTP/2 only', async () => {
    const server = createSecureServer(SELF_SIGNED)
    await new Promise<void>((resolve) => server.listen(0, 'localhost', resolve))
    onTestFinished(() => new Promise<void>((resolve) => server.close(() => resolve())))
    await expectFailures(
      { url: `https://localhost:${(server.address() as AddressInfo).port}` },
      /TLS failed: tlsv1 alert no application protocol$/,
    )
  })

  it('if a proxy wants a password, although fetch hides the status of its answer', async () => {
    const server = await startScriptedServer((_request, response) => void response.writeHead(407).end())
    onTestFinished(server.close)
    const refused = { status: 407, code: 'http_407' }
    await expectFailures(
      { url: server.url },
      /answered 407: a proxy in front of the service wants a user name/,
      refused,
    )
    expect(server.seen).toHaveLength(3)
    // As in Deno and Bun, which hide nothing.
    const fetch = () => Promise.resolve(new Response('', { status: 407 }))
    await expectFailures({ url: 'http://service.test', fetch }, /answered 407: a proxy/, refused)
  })

  it('if the given fetch has a mistake', async () => {
    const fetch = () => Promise.reject(new TypeError('given.respond is not a function'))
    await expectFailures({ url: 'http://service.test', fetch }, /given\.respond is not a function/)
  })

  it('with the error of Next.js itself, which knows it by its digest', async () => {
    const dynamic = Object.assign(new Error('Dynamic server usage'), { digest: 'DYNAMIC_SERVER_USAGE' })
    const client = createClient({ url: 'http://service.test', fetch: () => Promise.reject(dynamic) })
    await expect(client.listPrograms()).rejects.toBe(dynamic)
    await expect(executionHandle(client, 'exe_1').result()).rejects.toBe(dynamic)
    await expect(client.run('p')).rejects.toBe(dynamic)
    await expect(client.streamChanges()[Symbol.asyncIterator]().next()).rejects.toBe(dynamic)
  })
})

describe('an answer', () => {
  const packed = (text: string | Buffer) => gzipSync(text, { level: 1 })
  const answering = async (body: Buffer) => {
    const { url, close } = await startScriptedServer((_request, response) => {
      response.writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' }).end(body)
    })
    onTestFinished(close)
    return createClient({ url })
  }

  it('is read in whole characters where it is packed', async () => {
    const items = ['ü'.repeat(100_000)]
    expect(await (await answering(packed(JSON.stringify({ items })))).listPrograms()).toEqual({ items })
  })

  it('that unpacks to more than any of the API is refused, and not asked for again', async () => {
    const client = await answering(packed(Buffer.alloc(65 * 1024 * 1024, ' ')))
    const refused = { status: 200, code: 'invalid_response', message: expect.stringContaining('more than 64 MiB') }
    await expect(client.listPrograms()).rejects.toMatchObject(refused)
    await expect(executionHandle(client, 'exe_1').result()).rejects.toMatchObject(refused)
  })
})
