// A real proxy on this computer, which opens tunnels to a real service behind TLS, whatever host it is asked for.

import { once } from 'node:events'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { pino } from 'pino'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { startTestProxy, type TestProxy } from '../shared/proxy.test-support.ts'
import { temporaryFolder } from '../shared/temporary-folder.test-support.ts'
import { answered } from './connections-rig.test-support.ts'
import { offerConnections } from './offer-connections.ts'
import { createProxiedSend, type ProxyEnvironment } from '../shared/proxied-send.ts'
import { HEALTH, sendJson, startService } from './scripted-service.test-support.ts'
import { SELF_SIGNED } from './self-signed.test-support.ts'
import { createMemoryKeeper } from './token-keeper.ts'

const TOKEN = 'wes_a-token-of-the-test'
const trusted = getCACertificates('default')
beforeAll(() => setDefaultCACertificates([...trusted, SELF_SIGNED.cert]))
afterAll(() => setDefaultCACertificates(trusted))

/** Answers each request with the headers that it got. */
const startTlsService = async (): Promise<number> => {
  const service = createTlsServer(SELF_SIGNED, (request, response) => {
    if (request.url === '/healthz') return sendJson(response, HEALTH)
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.write(`data: ${request.headers.authorization === `Bearer ${TOKEN}`}\n\n`)
  })
  onTestFinished(() => {
    service.closeAllConnections()
    service.close()
  })
  await once(service.listen(0, '127.0.0.1'), 'listening')
  return (service.address() as AddressInfo).port
}

const startProxy = async (port: number, answer?: string): Promise<TestProxy> => {
  const proxy = await startTestProxy(port, answer)
  onTestFinished(proxy.close)
  return proxy
}

const offered = async (environment: ProxyEnvironment, address = 'https://wes.example.test') => {
  const folder = temporaryFolder('proxied')
  const { connections, handle } = offerConnections({
    file: join(folder, 'connections.json'),
    keeper: createMemoryKeeper(),
    version: '0.1.0',
    now: () => performance.now(),
    log: pino({ level: 'silent' }),
    environment,
  })
  await connections.add({ name: 'Acme', address, colour: 'blue', isProduction: false, token: TOKEN, keep: 'run' })
  return (signal?: AbortSignal) => handle(new Request('http://localhost/hosted/acme/v1/changes', signal && { signal }))
}

describe('the proxy of HTTPS_PROXY', () => {
  it('opens a tunnel to a hosted service, and sees no token', async () => {
    const proxy = await startProxy(await startTlsService())
    const ask = await offered({ HTTPS_PROXY: `http://ann:s3cret@${proxy.host}` })
    const reader = (await ask()).body!.getReader()
    expect(new TextDecoder().decode((await reader.read()).value)).toBe('data: true\n\n')
    await reader.cancel()
    expect(new Set(proxy.asked.map(([host]) => host))).toEqual(new Set(['wes.example.test:443']))
    expect(proxy.asked[0]![1]).toBe(`Basic ${btoa('ann:s3cret')}`)
    expect(proxy.passed()).not.toBe('')
    expect(proxy.passed()).not.toContain(TOKEN)
    expect(proxy.passed().toLowerCase()).not.toMatch(/^authorization/m)
  })

  it('may be named in lower case, which wins, and without http://', async () => {
    const proxy = await startProxy(await startTlsService())
    const ask = await offered({ https_proxy: proxy.host, HTTPS_PROXY: 'http://no-such-proxy.invalid:1' })
    const { status, body } = await ask()
    await body!.cancel()
    expect([status, proxy.asked.length > 0]).toEqual([200, true])
  })

  it.each(['NO_PROXY', 'no_proxy'])('is not used for a host that %s names', async (name) => {
    const proxy = await startProxy(await startTlsService())
    const ask = await offered({ HTTPS_PROXY: `http://${proxy.host}`, [name]: 'other.example,.example.test' })
    const { code, message } = await answered(await ask())
    expect([code, message]).toEqual([
      'unreachable',
      expect.stringMatching(/host wes\.example\.test|cannot be looked up/),
    ])
    expect(proxy.asked).toEqual([])
  })

  it('is not used for a service on this computer, with https or without', async () => {
    const port = await startTlsService()
    const proxy = await startProxy(port)
    const plain = await startService()
    onTestFinished(plain.close)
    for (const address of [`https://localhost:${port}`, plain.url]) {
      const ask = await offered({ HTTPS_PROXY: `http://${proxy.host}`, https_proxy: `http://${proxy.host}` }, address)
      const { status, body } = await ask()
      await body!.cancel()
      expect(status).toBe(200)
    }
    expect(proxy.asked).toEqual([])
  })

  // Only Linux has all of 127.0.0.0/8.
  it.runIf(process.platform === 'linux')('is not blamed for a service that refuses on the same port', async () => {
    const { host } = await startProxy(0)
    const port = host.split(':')[1]
    const send = createProxiedSend({ HTTPS_PROXY: `http://${host}`, NO_PROXY: '127.0.0.2' }, 5_000)
    const request = { method: 'GET', headers: {}, body: null, signal: AbortSignal.timeout(20_000) }
    const refused = send({ ...request, url: new URL(`https://127.0.0.2:${port}/`) })
    await expect(refused).rejects.toMatchObject({ name: 'Error', code: 'ECONNREFUSED', address: '127.0.0.2' })
  })

  it('is named when it refuses, hangs up, cannot be reached, or is none', async () => {
    const expected = async (environment: ProxyEnvironment, message: RegExp): Promise<void> => {
      const answer = await answered(await (await offered(environment))())
      expect([answer.status, answer.code]).toEqual([503, 'unreachable'])
      expect(answer.message).toMatch(message)
      expect(answer.message).toMatch(/^Acme \(wes\.example\.test\) cannot be reached: .*[.?]$/)
      expect(answer.message).not.toContain('s3cret')
    }
    const refusing = async (answer: string) => {
      const { host } = await startProxy(0, answer)
      return { HTTPS_PROXY: `http://ann:s3cret@${host}` }
    }
    await expected(
      await refusing('HTTP/1.1 407 Needs a password\r\n\r\n'),
      /proxy 127.* refuses its user name or password/,
    )
    await expected(await refusing('HTTP/1.1 403 No\r\n\r\n'), /answers 403\. .* add wes\.example\.test to NO_PROXY/)
    await expected(await refusing(''), /opens no tunnel/)
    await expected(
      { HTTPS_PROXY: 'http://ann:s3cret@127.0.0.1:1' },
      /the proxy 127\.0\.0\.1:1 \(HTTPS_PROXY\) cannot be reached \(ECONNREFUSED\)/,
    )
    await expected(
      { HTTPS_PROXY: 'http://no-such-proxy.invalid:1' },
      /the proxy no-such-proxy\.invalid:1 .* cannot be reached/,
    )
    for (const wrong of ['socks5://ann:s3cret@127.0.0.1:1', 'http://a b', 'http://']) {
      await expected({ HTTPS_PROXY: wrong }, /HTTPS_PROXY is not the address of an HTTP proxy/)
    }
    for (const wrong of ['http://ann:s3cret%@127.0.0.1:1', 'http://%E9nn:s3cret@127.0.0.1:1']) {
      await expected({ HTTPS_PROXY: wrong }, /is not percent-encoded UTF-8: write % as %25\.$/)
    }
  })
})
