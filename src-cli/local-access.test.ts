// Real files and sockets, with a runtime that proves its identity, and with others.

import { once } from 'node:events'
import { createServer } from 'node:http'
import { describe, expect, it, onTestFinished } from 'vitest'
import { writeRuntimeInfo } from '#runtime/data-directory/data-directory.ts'
import { identityProof } from '#runtime/identity/identity-proof.ts'
import { temporaryFolder } from '#runtime/shared/temporary-folder.test-support.ts'
import { type Answer, json, startScriptedServer } from '../src-sdk/scripted-server.test-support.ts'
import { withLocalToken } from './local-access.ts'
import type { ClientFlags } from './session.ts'

const SECRET = 'only the owner of the data directory knows this'

const proves =
  (secret: string): Answer =>
  (request, response) => {
    const url = new URL(request.url, `http://${request.headers.host ?? ''}`)
    const claim = { challenge: url.searchParams.get('challenge') ?? '', instanceId: 'i', port: Number(url.port) }
    const proof = identityProof(secret, claim)
    return json(200, { service: 'workflow-execution-service', ...claim, proof })(request, response)
  }

const rig = async ({ token = 'the token', secret = SECRET }: { token?: string | null; secret?: string } = {}) => {
  const dataDir = temporaryFolder('access')
  const server = await startScriptedServer(proves(secret))
  onTestFinished(server.close)
  writeRuntimeInfo(dataDir, {
    ...{ pid: process.pid, port: server.port, instanceId: 'i', version: '0', secret: SECRET },
    ...(token !== null && { token }),
    ...{ dataDir, projectFolder: dataDir, startedAt: new Date().toISOString() },
  })
  return { server, env: { WES_DATA_DIR: dataDir } }
}

describe('the token of the local runtime', () => {
  it('is added for each spelling of the address of a runtime that proves its identity', async () => {
    const { server, env } = await rig()
    for (const host of ['localhost', '127.0.0.1', '[::1]']) {
      const flags = await withLocalToken({ url: `http://${host}:${server.port}/base`, json: true }, env)
      expect(flags).toEqual({ url: `http://127.0.0.1:${server.port}/base`, json: true, token: 'the token' })
    }
    const { token } = await withLocalToken<ClientFlags>({}, { ...env, SERVICE_RUNTIME_URL: server.url })
    expect(token).toBe('the token')
    expect(JSON.stringify(server.seen)).not.toContain('the token')
  })

  it('is not sent to another process on the same port of [::1]', async ({ skip }) => {
    const { server, env } = await rig()
    const other = createServer().listen(server.port, '::1')
    try {
      await once(other, 'listening')
    } catch {
      skip('this machine has no ::1')
    }
    onTestFinished(() => void other.close())
    const asked: unknown[] = []
    other.on('request', (request, response) => {
      asked.push(request.url)
      response.end()
    })
    const { url, token } = await withLocalToken<ClientFlags>({ url: `http://localhost:${server.port}` }, env)
    await fetch(`${url}v1/projects`, { headers: { authorization: `Bearer ${token}` } })
    expect(asked).toEqual([])
    expect(server.seen.at(-1)?.headers.authorization).toBe('Bearer the token')
  })

  it('is added where variables are blank, which count as unset', async () => {
    const { server, env } = await rig()
    const flags: ClientFlags = { url: `http://localhost:${server.port}` }
    expect(await withLocalToken(flags, { ...env, SERVICE_TOKEN: ' ' })).toMatchObject({ token: 'the token' })
  })

  it('is not added if the runtime does not prove its identity or has no token', async () => {
    const squatted = await rig({ secret: 'another' })
    expect(await withLocalToken({ url: squatted.server.url }, squatted.env)).toEqual({ url: squatted.server.url })
    const open = await rig({ token: null })
    expect(await withLocalToken({ url: open.server.url }, open.env)).toEqual({ url: open.server.url })
    expect(open.server.seen).toEqual([])
  })

  it.each<[string, (port: number) => object, object?]>([
    ['a token is given', (port) => ({ url: `http://localhost:${port}`, token: 'given' })],
    ['SERVICE_TOKEN is set', (port) => ({ url: `http://localhost:${port}` }), { SERVICE_TOKEN: 'given' }],
    ['the port is another', (port) => ({ url: `http://localhost:${port + 1}` })],
    ['the host is another', (port) => ({ url: `http://example.com:${port}` })],
    ['the host name only looks local', (port) => ({ url: `http://localhost.example.com:${port}` })],
    ['the user name looks local', (port) => ({ url: `http://localhost:${port}@example.com` })],
    ['the URL uses TLS', (port) => ({ url: `https://localhost:${port}` })],
    ['the URL is invalid', () => ({ url: 'localhost' })],
  ])('is not added, without a request, when %s', async (_what, flagsFor, more = {}) => {
    const { server, env } = await rig()
    const flags = flagsFor(server.port)
    expect(await withLocalToken(flags, { ...env, ...more })).toEqual(flags)
    expect(server.seen).toEqual([])
  })
})
