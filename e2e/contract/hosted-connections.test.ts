// Hosted connections of a real `wes dev`: who gets nothing from them, and where the token is not.

import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { type IncomingMessage, request as httpRequest, type ServerResponse } from 'node:http'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type ScriptedService, sendJson, startService } from '#runtime/connections/scripted-service.test-support.ts'
import { openSession, type Session } from '../open-session.test-support.ts'
import { startRuntimeProcess, type RuntimeProcess } from '../runtime-process.test-support.ts'

const TOKEN = 'wes_a-token-that-must-not-leak'
const NOBODY = 65_534

let runtime: RuntimeProcess
let session: Session
let service: ScriptedService
const streams: ServerResponse[] = []
beforeAll(async () => {
  service = await startService((response, { url }) => {
    if (url !== '/v1/changes') return sendJson(response, { url })
    response.writeHead(200, { 'content-type': 'text/event-stream' }).write('data: 1\n\n')
    streams.push(response)
  })
  runtime = await startRuntimeProcess()
  session = await openSession(runtime)
})
afterAll(async () => {
  await runtime.dispose()
  await service.close()
})

const add = (name: string, address: string) =>
  session.call('POST', '/local/connections', {
    ...{ name, address, token: TOKEN },
    ...{ colour: 'blue', isProduction: false, keep: 'run' },
  })
const PATHS = [
  '/local/connections',
  '/local/connections/test',
  '/local/connections/acme/token',
  '/hosted/acme/v1/projects',
]
/** Becomes another user once everything is loaded. Prints what it got. */
const OTHER_USER = `
const { readFileSync } = await import('node:fs')
const { run } = await import(${JSON.stringify(join(import.meta.dirname, '../../src-cli/run.ts'))})
const { URL: url, DATA_DIR: folder, PID: pid } = process.env
await fetch(url + '/healthz')
process.setgroups([])
process.setgid(${NOBODY})
process.setuid(${NOBODY})
const statuses = []
for (const path of ${JSON.stringify(PATHS)}) statuses.push((await fetch(url + path)).status)
const code = (file) => { try { return readFileSync(file, 'utf8') } catch (error) { return error.code } }
const files = ['runtime.json', 'connections.json'].map((name) => code(folder + '/' + name))
const memory = ['environ', 'maps', 'mem'].map((name) => code('/proc/' + pid + '/' + name))
const projects = (await fetch(url + '/v1/projects')).status
const link = await run(['link', '--data-dir', folder])
console.log(JSON.stringify({ user: process.getuid(), projects, statuses, link, files: [...files, ...memory] }))
`
const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']

/** `fetch` would not send these headers. */
const ask = async (method: string, path: string, headers: Readonly<Record<string, string>>) => {
  const outgoing = httpRequest(`${runtime.url()}${path}`, { method, headers, agent: false }).end()
  const [answer] = (await once(outgoing, 'response')) as [IncomingMessage]
  let text = ''
  for await (const part of answer) text += String(part)
  return { status: answer.statusCode, text, headers: answer.headers }
}

describe('hosted connections of wes dev', () => {
  it('serve a page with a session', async () => {
    expect((await add('Acme', service.url)).status).toBe(201)
    const { status, text } = await session.call('GET', '/hosted/acme/v1/projects?limit=1')
    expect([status, JSON.parse(text)]).toEqual([200, { url: '/v1/projects?limit=1' }])
    expect(service.meant().at(-1)?.headers.authorization).toBe(`Bearer ${TOKEN}`)
  })

  it('give nothing to a page of another origin, not even with the key', async () => {
    const before = service.seen.length
    const foreign: readonly Record<string, string>[] = [
      { origin: 'http://evil.example' },
      { origin: 'null' },
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site', 'sec-fetch-mode': 'no-cors' },
      { host: 'rebound.example' },
      { host: `rebound.example:${new URL(runtime.url()).port}` },
    ]
    for (const path of PATHS) {
      for (const method of METHODS) {
        for (const headers of foreign) {
          const answer = await ask(method, path, { ...headers, 'x-wes-session': session.key })
          expect({ method, path, status: answer.status }).toEqual({ method, path, status: 403 })
          expect(Object.keys(answer.headers).filter((name) => name.startsWith('access-control'))).toEqual([])
        }
      }
    }
    expect(service.seen.length).toBe(before)
    expect((await session.call('GET', '/local/connections')).text).toContain('"acme"')
  })

  it('give nothing to another program without a key, which gets no key either', async () => {
    const before = service.seen.length
    const keys: readonly Record<string, string>[] = [
      {},
      { 'x-wes-session': 'x'.repeat(43) },
      { authorization: `Bearer ${TOKEN}` },
    ]
    for (const path of PATHS) {
      for (const method of METHODS) {
        for (const headers of keys) expect((await ask(method, path, headers)).status).toBe(401)
      }
    }
    for (const body of ['', '{}', '{"challenge":"x","proof":"x"}']) {
      const headers = { 'content-type': 'application/json' }
      const asked = await fetch(`${runtime.url()}/local/link`, { method: 'POST', headers, body })
      expect(asked.status).toBe(401)
    }
    expect((await fetch(`${runtime.url()}/v1/projects`)).status).toBe(200)
    expect(service.seen.length).toBe(before)
  })

  it.runIf(process.getuid?.() === 0)('give another user of this computer no answer, no link and no file', () => {
    const before = service.seen.length
    const asked = spawnSync(process.execPath, ['--no-warnings', '--input-type=module', '-e', OTHER_USER], {
      encoding: 'utf8',
      env: { ...process.env, URL: runtime.url(), DATA_DIR: runtime.dataDir, PID: String(runtime.pid()) },
    })
    expect([asked.status, asked.stderr]).toEqual([0, expect.stringContaining('cannot read the data directory')])
    const { user, projects, statuses, link, files } = JSON.parse(asked.stdout) as Readonly<Record<string, unknown>>
    // It reaches the runtime, whose own data any program of this computer may read.
    expect({ user, projects }).toEqual({ user: NOBODY, projects: 200 })
    expect(statuses).toEqual(PATHS.map(() => 401))
    expect(link).not.toBe(0)
    expect(files).toEqual(Array(5).fill('EACCES'))
    expect(asked.stdout + asked.stderr).not.toContain('#code=')
    expect(service.seen.length).toBe(before)
  })

  it('stream events, and end them with their connection', async () => {
    await add('Streams', service.url)
    const outgoing = httpRequest(`${runtime.url()}/hosted/streams/v1/changes`, {
      headers: { 'x-wes-session': session.key, accept: 'text/event-stream' },
    }).end()
    const [answer] = (await once(outgoing, 'response')) as [IncomingMessage]
    expect(String((await once(answer, 'data'))[0])).toBe('data: 1\n\n')
    const ended = [once(answer, 'end'), once(streams.at(-1)!, 'close')]
    await session.call('DELETE', '/local/connections/streams')
    await Promise.all(ended)
    expect((await session.call('GET', '/hosted/streams/v1/changes')).status).toBe(404)
  })

  it('send no token to this runtime itself', async () => {
    await add('Myself', runtime.url())
    const { status, text } = await session.call('GET', '/hosted/myself/v1/projects')
    expect([status, text]).toEqual([502, expect.stringContaining('wrong_service')])
  })

  it('name a service that fails, without the token that it was sent', async () => {
    const page = { 'content-type': 'text/html' }
    const answers: Readonly<Record<string, (response: ServerResponse) => unknown>> = {
      unreachable: (response) => response.socket?.destroy(),
      not_the_service: (response) => response.writeHead(200, page).end(`<p>${TOKEN}`),
      redirected: (response) => response.writeHead(302, { location: `https://wes.example/?token=${TOKEN}` }).end(),
      unauthorized: (response) => sendJson(response, { error: { code: 'unauthorized', message: TOKEN } }, 401),
    }
    let act = answers['unreachable']!
    const failing = await startService((response) => void act(response))
    await add('Failing', failing.url)
    for (const [code, answer] of Object.entries(answers)) {
      act = answer
      const { text } = await session.call('GET', '/hosted/failing/v1/projects')
      expect(text).toContain(`"${code}"`)
      expect(text).not.toContain(TOKEN)
    }
    await session.call('DELETE', '/local/connections/failing')
    await failing.close()
  })

  it('have the token in no file, output, argument or environment variable', () => {
    const files = readdirSync(runtime.dataDir).map((name) => join(runtime.dataDir, name))
    expect(files).toContain(join(runtime.dataDir, 'connections.json'))
    for (const file of files) expect([file, readFileSync(file).includes(TOKEN)]).toEqual([file, false])
    expect(statSync(join(runtime.dataDir, 'connections.json')).mode & 0o777).toBe(0o600)
    expect(runtime.stderr()).not.toContain(TOKEN)
    if (process.platform !== 'linux') return
    for (const name of ['cmdline', 'environ']) {
      expect(readFileSync(`/proc/${runtime.pid()}/${name}`, 'utf8')).not.toContain(TOKEN)
    }
  })

  it('are listed after kill -9, without their tokens; the session has ended', async () => {
    await runtime.kill()
    await runtime.start()
    const ended = await session.call('GET', '/local/connections').catch(() => undefined)
    // It has another port, and a key belongs to one run in any case.
    expect(ended?.status).not.toBe(200)
    session = await openSession(runtime)
    const { text } = await session.call('GET', '/local/connections')
    const { items } = JSON.parse(text) as { items: readonly { id: string; token: string }[] }
    expect(items.map(({ id, token }) => [id, token])).toEqual([
      ['acme', 'none'],
      ['myself', 'none'],
    ])
    expect((await session.call('GET', '/hosted/acme/v1/projects')).text).toContain('token_missing')
    await session.call('PUT', '/local/connections/acme/token', { token: TOKEN, keep: 'run' })
    expect((await session.call('GET', '/hosted/acme/v1/projects')).status).toBe(200)
  })
})
