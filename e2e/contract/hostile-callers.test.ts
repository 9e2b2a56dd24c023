// Contract sections 2 and 7 from outside: who may talk to a local runtime, what comes of those who do so badly, and how it
// stops.

import { createHmac } from 'node:crypto'
import { readFileSync, statSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { talkTo, type Talk } from '#runtime/behaviour/talk.test-support.ts'
import { startRuntimeProcess, type RuntimeProcess } from '../runtime-process.test-support.ts'

const RAW_LIMIT_MS = 5_000

let runtime: RuntimeProcess
let talk: Talk
beforeAll(async () => {
  runtime = await startRuntimeProcess()
  talk = talkTo(() => ({ url: runtime.url(), headers: {} }))
})
afterAll(() => runtime.dispose())

const portOf = () => Number(new URL(runtime.url()).port)

/** Bytes in, bytes out, until the other side closes. */
const raw = (text: string): Promise<string> =>
  new Promise((resolve) => {
    let said = ''
    const socket = connect(portOf(), '127.0.0.1', () => socket.write(text))
    const late = setTimeout(() => socket.destroy(), RAW_LIMIT_MS)
    socket.setEncoding('latin1').on('data', (chunk: string) => (said += chunk))
    socket.on('error', () => {})
    socket.on('close', () => {
      clearTimeout(late)
      resolve(said)
    })
  })

const PATHS = [
  '/',
  '/some/page',
  '/v1/projects',
  '/v1/whoami',
  '/healthz',
  '/openapi.json',
  '/assets/x',
  '/local/v1/projects',
]

describe('a page of another origin', () => {
  it.each([
    ['forbidden_host', { host: 'rebound.example' }],
    ['forbidden_host', { host: 'localhost:1' }],
    ['forbidden_origin', { origin: 'null' }],
    ['forbidden_origin', { origin: 'http://rebound.example' }],
    ['forbidden_origin', { 'sec-fetch-site': 'cross-site' }],
    ['forbidden_origin', { 'sec-fetch-site': 'same-site', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'iframe' }],
  ])('gets %s on every path and with every method: %o', async (code, headers) => {
    for (const path of PATHS) {
      for (const method of ['GET', 'POST', 'DELETE', 'OPTIONS']) {
        const answer = await talk.call(method, path, { headers: { accept: 'text/html', ...headers } })
        expect(answer, `${method} ${path}`).toMatchObject({ status: 403, json: { error: { code } } })
        expect(Object.keys(answer.headers).filter((name) => name.startsWith('access-control'))).toEqual([])
      }
    }
  })
})

describe('the data directory', () => {
  it('is private, and its owner can prove its identity with the secret in it', async () => {
    const file = join(runtime.dataDir, 'runtime.json')
    if (process.platform !== 'win32') {
      expect(statSync(runtime.dataDir).mode & 0o777).toBe(0o700)
      expect(statSync(file).mode & 0o777).toBe(0o600)
    }
    const info = JSON.parse(readFileSync(file, 'utf8')) as { secret: string; pid: number; instanceId: string }
    expect(info.pid).toBe(runtime.pid())
    const challenge = 'Az09_-'.repeat(6)
    const { json } = await talk.call('GET', `/healthz?challenge=${challenge}`)
    const proof = createHmac('sha256', info.secret)
      .update(`wes-healthz-1\n${challenge}\n${info.instanceId}\n${portOf()}`)
      .digest('base64url')
    expect(json).toMatchObject({ instanceId: info.instanceId, port: portOf(), proof })
  })
})

describe('an invalid request', () => {
  it('gets an API error, and the process continues', async () => {
    const host = `Host: localhost:${portOf()}\r\n`
    const heads = [
      '\0\x01\x02\r\n\r\n',
      'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
      `GET /v1/exec utions HTTP/1.1\r\n${host}\r\n`,
      `GET / HTTP/1.1\r\n${host}X: ${'a'.repeat(100_000)}\r\n\r\n`,
      `POST /v1/projects HTTP/1.1\r\n${host}Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
      `POST /v1/projects HTTP/1.1\r\n${host}Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n\r\n`,
      `GET /healthz HTTP/1.1\r\n${host}\r\nGARBAGE\r\n\r\n`,
    ]
    for (const head of heads) expect(await raw(head), head.slice(0, 60)).toMatch(/\{"error":\{"code":"invalid_request"/)
    expect(await talk.call('GET', '/healthz')).toMatchObject({ status: 200 })
  })

  it('may keep a hundred connections half open while others are served', async () => {
    const sockets: Socket[] = []
    for (let count = 0; count < 100; count++) {
      const socket = connect(portOf(), '127.0.0.1')
      socket.on('error', () => {})
      socket.write(`GET / HTTP/1.1\r\nHost: localhost:${portOf()}\r\nX-`)
      sockets.push(socket)
    }
    expect(await talk.run('await ctx.sleep(1); return 1')).toMatchObject({ result: 1 })
    for (const socket of sockets) socket.destroy()
  })
})

describe('a runtime that stops', () => {
  it('answers held requests, exits with 0, and keeps all data', async () => {
    const id = await talk.begin('return await ctx.waitForEvent("a")')
    await talk.waitsFor(id, 'a')
    const held = talk.call('GET', `/v1/executions/${id}/result`, { headers: { prefer: 'wait=60' } })
    const stream = raw(`GET /v1/changes HTTP/1.1\r\nHost: localhost:${portOf()}\r\n\r\n`)
    await talk.call('GET', '/healthz') // by now the server has both
    const askedAt = performance.now()
    expect(await runtime.interrupt()).toBe(0)
    expect(performance.now() - askedAt).toBeLessThan(5_000)
    expect(await held).toMatchObject({
      status: 200,
      headers: { 'preference-applied': 'wait=60' },
      json: { status: 'waiting' },
    })
    expect(await stream).toContain('text/event-stream')
    await runtime.start()
    await talk.send(id, 'a', 'still there')
    expect(await talk.result(id)).toEqual({ status: 'completed', result: 'still there' })
  })
})
