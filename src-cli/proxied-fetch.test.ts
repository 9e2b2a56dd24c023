// Commands with a real proxy, and a real service behind TLS.

import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { createServer as createHttpServer } from 'node:http'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { SELF_SIGNED } from '#runtime/connections/self-signed.test-support.ts'
import { startTestProxy, type TestProxy } from '#runtime/shared/proxy.test-support.ts'
import { temporaryFolder } from '#runtime/shared/temporary-folder.test-support.ts'
import { json, startScriptedServer } from '../src-sdk/scripted-server.test-support.ts'
import { wesHere } from './wes-here.test-support.ts'
import { wes } from './wes.test-support.ts'

const TOKEN = 'wes_a-token-of-the-test'

/** Answers with what it got, as a member of some workspace. */
const startService = async (): Promise<number> => {
  const service = createServer(SELF_SIGNED, (request, response) => {
    const { method, url, headers } = request
    void text(request).then((body) => {
      const token = headers.authorization === `Bearer ${TOKEN}`
      const got = { workspace: {}, method, url, token, body }
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(got))
    })
  })
  onTestFinished(() => {
    service.closeAllConnections()
    service.close()
  })
  await once(service.listen(0, '127.0.0.1'), 'listening')
  return (service.address() as AddressInfo).port
}

const startProxy = async (port: number): Promise<TestProxy> => {
  const proxy = await startTestProxy(port)
  onTestFinished(proxy.close)
  return proxy
}

const startProxyWithPassword = async (): Promise<string> => {
  const proxy = createHttpServer()
  proxy.on('connect', (_request, socket) => socket.end('HTTP/1.1 407 Proxy Authentication Required\r\n\r\n'))
  onTestFinished(() => void proxy.close())
  await once(proxy.listen(0, '127.0.0.1'), 'listening')
  return `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`
}

const certificate = (): string => {
  const folder = temporaryFolder('proxied')
  const file = join(folder, 'certificate.pem')
  writeFileSync(file, SELF_SIGNED.cert)
  return file
}

const run = (args: readonly string[], env: Readonly<Record<string, string>>) =>
  wes([...args, '--json', '--token', TOKEN], { env: { NODE_EXTRA_CA_CERTS: certificate(), ...env } })

const URL = ['--url', 'https://wes.example.test']

describe('a command behind the proxy of HTTPS_PROXY', () => {
  it('reaches a hosted service through it, and the proxy sees no token', async () => {
    const proxy = await startProxy(await startService())
    const env = { HTTPS_PROXY: `http://${proxy.host}` }
    const read = await run(['whoami', ...URL], env)
    expect(JSON.parse(read.out)).toMatchObject({ method: 'GET', token: true, body: '' })
    const written = await run(['send', 'exe_1', 'approved', '{"by":"Größe"}', ...URL], env)
    expect(JSON.parse(written.out)).toMatchObject({
      method: 'POST',
      token: true,
      body: expect.stringContaining('Größe'),
    })
    expect(new Set(proxy.asked.map(([host]) => host))).toEqual(new Set(['wes.example.test:443']))
    expect(proxy.passed()).not.toContain(TOKEN)
  })

  it('does not use it for a host that NO_PROXY names, and for this computer', async () => {
    const port = await startService()
    const proxy = await startProxy(port)
    const env = { HTTPS_PROXY: `http://${proxy.host}`, NO_PROXY: '.example.test' }
    expect(await run(['whoami', ...URL], env)).toMatchObject({
      code: 1,
      out: expect.stringContaining('"network_error"'),
      err: expect.stringContaining('ENOTFOUND'),
    })
    const local = await run(['whoami', '--url', `https://localhost:${port}`], { HTTPS_PROXY: proxy.host })
    expect(local).toMatchObject({ code: 0, out: expect.stringContaining('"token":true') })
    expect(proxy.asked).toEqual([])
  })

  it('says that the proxy is the cause', async () => {
    const { code, err } = await run(['whoami', ...URL], { HTTPS_PROXY: 'http://ann:s3cret@127.0.0.1:1' })
    expect(code).toBe(1)
    expect(err).toContain('the proxy 127.0.0.1:1 (HTTPS_PROXY) cannot be reached (ECONNREFUSED)')
    expect(err).not.toContain('s3cret')
  })
  it.each([
    ['its address cannot be one', () => 'ftp://127.0.0.1', 'HTTPS_PROXY is not the address of an HTTP proxy'],
    [
      'it does not speak TLS',
      async () => (await startProxyWithPassword()).replace('http:', 'https:'),
      'does not speak TLS. Most proxies need http:// in HTTPS_PROXY',
    ],
    ['it wants a password', startProxyWithPassword, 'wants them: http://USER:PASSWORD@127.0.0.1'],
  ])('does not wait for a result if %s', async (_what, address, message) => {
    const { code, err } = await run(['result', 'exe_1', '--wait', ...URL], { HTTPS_PROXY: await address() })
    expect({ code, err }).toEqual({ code: 1, err: expect.stringContaining(message) })
  })
})

describe('a command whose service is not reached by TLS', () => {
  it('says what to do', async () => {
    const untrusted = await wesHere(['programs', '--url', `https://localhost:${await startService()}`])
    expect(untrusted).toMatchObject({ code: 1, err: expect.stringContaining('self-signed certificate') })
    expect(untrusted.err).toContain('\nName the file of your own certificate authority in NODE_EXTRA_CA_CERTS')
    const plain = await startScriptedServer(json(200, {}))
    onTestFinished(plain.close)
    const { err } = await wesHere(['programs', '--url', plain.url.replace('http:', 'https:')])
    expect(err).toContain('\nThe server at this address does not speak TLS: try http://')
  })
})
