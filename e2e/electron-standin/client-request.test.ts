// The desktop app's requests to services on `net.request`, with real servers. platform.spec.ts compares it with Electron's.

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { createChromiumSend, type NetRequest } from '../../src-main/connections/chromium-send.ts'
import { startRequest } from './modules/client-request.ts'

const serve = async (answer: (request: IncomingMessage, response: ServerResponse) => void): Promise<string> => {
  const server = createServer(answer).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

const IDLE_MS = 10_000

type Sent = {
  readonly method?: string
  readonly idleMs?: number
  readonly headers?: Record<string, string>
  readonly body?: string
  readonly signal?: AbortSignal
}
const sendTo = (
  url: string,
  { method, idleMs = IDLE_MS, headers = {}, body, signal }: Sent = {},
  request: NetRequest = startRequest,
) =>
  createChromiumSend(
    request,
    idleMs,
    () => (_asked, answer) => answer('ada', 'secret'),
  )({
    url: new URL(url),
    method: method ?? (body === undefined ? 'GET' : 'POST'),
    headers,
    body: body === undefined ? null : new Blob([body]).stream(),
    signal: signal ?? new AbortController().signal,
  })

describe('a request of the app to a service', () => {
  it('has its method, headers and body, and returns the answer', async () => {
    const url = await serve((request, response) => {
      void text(request).then((body) => {
        response.writeHead(201, { 'content-type': 'application/json' })
        response.end(JSON.stringify({ method: request.method, token: request.headers.authorization, body }))
      })
    })
    const answer = await sendTo(`${url}/v1/x`, { headers: { authorization: 'Bearer t' }, body: '{"a":1}' })
    expect([answer.status, answer.headers.get('content-type')]).toEqual([201, 'application/json'])
    expect(await answer.json()).toEqual({ method: 'POST', token: 'Bearer t', body: '{"a":1}' })
  })

  it('answers the system’s proxy', async () => {
    const url = await serve((_request, response) => void response.end())
    const given = vi.fn()
    const begun: NetRequest = (options) => {
      const request = startRequest(options)
      queueMicrotask(() => request.emit('login', { isProxy: true }, given))
      return request
    }
    await sendTo(url, {}, begun)
    expect(given.mock.calls).toEqual([['ada', 'secret']])
  })

  it('has the bytes of its headers, and returns those of the answer’s', async () => {
    const url = await serve((request, response) => {
      response.writeHead(200, { etag: String(request.headers['idempotency-key']), server: 'S\xfcd' }).end()
    })
    const key = Buffer.from('Ä 漢').toString('latin1')
    const answer = await sendTo(url, { headers: { 'idempotency-key': key } })
    expect(answer.headers.get('etag')).toBe(key)
  })

  it('uses neither cookies nor a cache', async () => {
    const url = await serve((_request, response) => void response.end())
    const asked = vi.fn<NetRequest>(startRequest)
    await sendTo(url, {}, asked)
    expect(asked.mock.lastCall).toMatchObject([{ credentials: 'omit', cache: 'no-store', redirect: 'manual' }])
  })

  it('answers a redirect, and does not follow it', async () => {
    const reached = vi.fn()
    const elsewhere = await serve((_request, response) => {
      reached()
      response.end()
    })
    const url = await serve((_request, response) => void response.writeHead(307, { location: `${elsewhere}/x` }).end())
    const answer = await sendTo(url, { headers: { authorization: 'Bearer t' } })
    expect([answer.status, answer.headers.get('location')]).toEqual([307, `${elsewhere}/x`])
    expect(reached).not.toHaveBeenCalled()
  })

  it('streams events, and ends when its reader cancels', async () => {
    const ended = vi.fn()
    const url = await serve((request, response) => {
      request.socket.on('close', ended)
      response.writeHead(200, { 'content-type': 'text/event-stream' }).write('data: 1\n\n')
    })
    const reader = (await sendTo(url)).body!.getReader()
    expect(Buffer.from((await reader.read()).value ?? []).toString()).toBe('data: 1\n\n')
    expect(ended).not.toHaveBeenCalled()
    await reader.cancel()
    await vi.waitUntil(() => ended.mock.calls.length > 0)
  })

  it('ends a stream of events that breaks, so that its reader connects again', async () => {
    const url = await serve((request, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' }).write('data: 1\n\n')
      setImmediate(() => request.socket.destroy())
    })
    expect(await (await sendTo(url)).text()).toBe('data: 1\n\n')
  })

  it('ends a stream of events that its signal aborts, or that is silent', async () => {
    const url = await serve((_request, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' }).write('data: 1\n\n')
    })
    const controller = new AbortController()
    const aborted = await sendTo(url, { signal: controller.signal })
    controller.abort()
    expect(await aborted.text()).toMatch(/^(data: 1\n\n)?$/)
    expect(await (await sendTo(url, { idleMs: 50 })).text()).toBe('data: 1\n\n')
  })

  it('fails when an answer that is no stream of events is silent', async () => {
    const url = await serve((_request, response) => void response.writeHead(200).write('a'))
    await expect((await sendTo(url, { idleMs: 50 })).text()).rejects.toMatchObject({ name: 'SilentError' })
  })

  it('outlives an answer without a body that is cut off', async () => {
    const cut: (Error & IncomingMessage)[] = []
    const asked: NetRequest = (options) => {
      const request = startRequest(options)
      request.on('response', (answer) => cut.push(answer as never))
      return request
    }
    const url = await serve((_request, response) => void response.writeHead(200, { 'content-length': 5 }).end())
    expect((await sendTo(url, { method: 'HEAD' }, asked)).status).toBe(200)
    cut[0]!.destroy(new Error('net::ERR_FAILED'))
    await vi.waitUntil(() => cut[0]!.closed)
  })

  it('is cancelled by its signal, before and during the answer', async () => {
    const ended = vi.fn()
    const url = await serve((request, response) => {
      request.socket.on('close', ended)
      if (request.url === '/late') response.writeHead(200).write('a')
    })
    await expect(sendTo(url, { signal: AbortSignal.timeout(50) })).rejects.toThrow(/timeout/)
    const controller = new AbortController()
    const answer = await sendTo(`${url}/late`, { signal: controller.signal })
    controller.abort()
    await expect(answer.text()).rejects.toThrow(/aborted|cut off/)
    await vi.waitUntil(() => ended.mock.calls.length === 2)
    await expect(sendTo(url, { signal: AbortSignal.abort() })).rejects.toThrow(/abort/)
  })

  it('fails with the code that Node has for the same', async () => {
    const url = await serve((request) => void request.socket.destroy())
    await expect(sendTo(url)).rejects.toMatchObject({ code: 'ECONNRESET' })
    await expect(sendTo('http://127.0.0.1:1/')).rejects.toMatchObject({
      code: 'ECONNREFUSED',
      message: 'net::ERR_CONNECTION_REFUSED',
    })
  })
})
