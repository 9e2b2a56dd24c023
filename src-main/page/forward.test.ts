// Real sockets: a runtime that proves itself as ours does, and others that cannot.

import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { identityProof } from '../../src-runtime/identity/identity-proof.ts'
import { createForward, type ForwardedRequest, type Target } from './forward.ts'

const SECRET = 'known to the owner of the data directory'
const closeAtEnd = (server: Server): void =>
  onTestFinished(async () => {
    server.closeAllConnections()
    if (server.listening) await new Promise((closed) => server.close(closed))
  })

type Seen = {
  readonly method?: string
  readonly url: string
  readonly headers: IncomingMessage['headers']
  readonly body: string
}

const serve = async (
  answer: (request: Seen, response: ServerResponse) => void,
  { secret = SECRET, port = 0 }: { readonly secret?: string; readonly port?: number } = {},
) => {
  const seen: Seen[] = []
  let connections = 0
  const reply = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { method, url = '', headers } = request
    const one: Seen = { ...(method && { method }), url, headers, body: await text(request) }
    seen.push(one)
    if (!url.startsWith('/healthz?challenge=')) return answer(one, response)
    const challenge = new URLSearchParams(url.slice('/healthz?'.length)).get('challenge') ?? ''
    const claim = { challenge, instanceId: 'i', port: (server.address() as AddressInfo).port }
    const health = { service: 'workflow-execution-service', ...claim, proof: identityProof(secret, claim) }
    const body = JSON.stringify(health)
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': body.length }).end(body)
  }
  const server = createServer((request, response) => void reply(request, response))
  server.on('connection', () => (connections += 1))
  server.listen(port, '127.0.0.1')
  await once(server, 'listening')
  closeAtEnd(server)
  const owner = { port: (server.address() as AddressInfo).port, secret: SECRET }
  const meant = () => seen.filter(({ url }) => !url.startsWith('/healthz'))
  return { server, seen, meant, owner, connections: () => connections }
}

const asked = (path: string, init: RequestInit & { readonly duplex?: 'half' } = {}): ForwardedRequest => {
  const { method, headers, body, signal } = new Request(`http://x${path}`, init)
  return { method, headers, body, signal, path }
}
const ok = (_request: Seen, response: ServerResponse) => void response.end('{"ok":true}')

describe('forwarding to the runtime', () => {
  it('sends the request with a fixed list of headers, and returns the answer', async () => {
    const { owner, meant } = await serve((_request, response) => {
      response.writeHead(201, { 'content-type': 'application/json', location: '/v1/executions/exe_1' }).end('{"id":1}')
    })
    const forward = createForward(() => owner, vi.fn())
    const answer = await forward(
      asked('/v1/executions?limit=1', {
        method: 'POST',
        body: '{"programId":"a"}',
        headers: {
          'content-type': 'application/json',
          'idempotency-key': 'k',
          authorization: 'Bearer t',
          cookie: 'a=b',
          'x-other': '1',
        },
      }),
    )
    expect([answer.status, answer.headers.get('location')]).toEqual([201, '/v1/executions/exe_1'])
    expect(await answer.json()).toEqual({ id: 1 })
    const [seen] = meant()
    expect(seen).toMatchObject({ method: 'POST', url: '/v1/executions?limit=1', body: '{"programId":"a"}' })
    expect(seen?.headers).toMatchObject({ 'content-type': 'application/json', 'idempotency-key': 'k' })
    for (const name of ['origin', 'authorization', 'x-other', 'cookie']) expect(seen?.headers).not.toHaveProperty(name)
  })

  it('replaces the token of the page by the runtime’s, for requests to the runtime only', async () => {
    const { owner, meant, seen } = await serve(ok)
    const forward = createForward(() => ({ ...owner, token: 'of the runtime' }), vi.fn())
    const answer = await forward(asked('/v1/projects', { headers: { authorization: 'Bearer other' } }))
    expect([...answer.headers].join() + (await answer.text())).not.toContain('of the runtime')
    await forward(asked('/v1/executions', { method: 'POST', body: '{}' }))
    expect(meant().map(({ headers }) => headers.authorization)).toEqual(Array(2).fill('Bearer of the runtime'))
    const proofs = seen.filter(({ url }) => url.startsWith('/healthz'))
    expect(proofs.length).toBeGreaterThan(0)
    expect(JSON.stringify(proofs)).not.toContain('of the runtime')
  })

  it('sends the token of a runtime neither to the next one nor to another process on the port', async () => {
    const first = await serve(ok)
    const second = await serve(ok)
    let target: Target = { ...first.owner, token: 'of the first' }
    const forward = createForward(() => target, vi.fn())
    expect((await forward(asked('/v1/projects'))).status).toBe(200)
    target = second.owner
    expect((await forward(asked('/v1/projects'))).status).toBe(200)
    target = { ...first.owner, token: 'of the first' }
    first.server.closeAllConnections()
    await new Promise((closed) => first.server.close(closed))
    const squatter = await serve(ok, { secret: 'another', port: first.owner.port })
    for (let time = 1; time <= 2; time += 1) expect((await forward(asked('/v1/projects'))).status).toBe(503)
    expect(squatter.seen.length).toBeGreaterThan(0)
    expect(JSON.stringify([second.seen, squatter.seen])).not.toContain('of the first')
  })

  it('follows no redirects', async () => {
    const elsewhere = await serve(ok)
    const { owner } = await serve((_request, response) => {
      response.writeHead(307, { location: `http://127.0.0.1:${elsewhere.owner.port}/` }).end()
    })
    const forward = createForward(() => ({ ...owner, token: 'of the runtime' }), vi.fn())
    expect((await forward(asked('/v1/projects'))).status).toBe(307)
    expect(elsewhere.seen).toEqual([])
  })

  it('answers that the runtime is unavailable if there is none, without a request', async () => {
    const { seen } = await serve(ok)
    const answer = await createForward(() => undefined, vi.fn())(asked('/v1/projects'))
    expect(answer.status).toBe(503)
    expect(await answer.json()).toMatchObject({ error: { code: 'unavailable' } })
    expect(seen).toHaveLength(0)
  })

  it('requires a proof on every connection, and reuses connections', async () => {
    const { owner, seen, connections } = await serve(ok)
    const forward = createForward(() => owner, vi.fn())
    for (let time = 0; time < 3; time += 1)
      expect(await (await forward(asked('/v1/projects'))).json()).toEqual({ ok: true })
    expect(connections()).toBe(1)
    expect(seen.map(({ url }) => url.split('?')[0])).toEqual([
      '/healthz',
      '/v1/projects',
      '/v1/projects',
      '/v1/projects',
    ])
  })

  it('sends no requests to another process on the port', async () => {
    const runtime = await serve(ok)
    const onDoubt = vi.fn()
    const forward = createForward(() => runtime.owner, onDoubt)
    expect((await forward(asked('/v1/projects'))).status).toBe(200)
    runtime.server.closeAllConnections()
    await new Promise((closed) => runtime.server.close(closed))
    const squatter = await serve(ok, { secret: 'another', port: runtime.owner.port })
    // The first meets the end of the kept connection, the second a new one.
    for (let time = 1; time <= 2; time += 1) {
      const answer = await forward(asked('/v1/executions', { method: 'POST', body: '{"secret":1}' }))
      expect(answer.status).toBe(503)
      expect(onDoubt).toHaveBeenCalledTimes(time)
    }
    expect(squatter.seen.length).toBeGreaterThan(0)
    expect(squatter.meant()).toEqual([])
  })

  it.each<[string, (response: ServerResponse) => void]>([
    ['says nothing that can be read', (response) => void response.end('<html>')],
    ['refuses', (response) => void response.writeHead(404).end()],
    ['never ends', (response) => void response.writeHead(200, { 'content-length': 1_000 }).write('x')],
    ['says too much', (response) => void response.end('x'.repeat(100_000))],
    ['hangs up', (response) => void response.destroy()],
  ])('does not accept a server that %s', async (_what, reply) => {
    const server = createServer((_request, response) => reply(response))
    closeAtEnd(server.listen(0, '127.0.0.1'))
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    const answer = await createForward(() => ({ port, secret: SECRET }), vi.fn())(asked('/v1/projects'))
    expect(answer.status).toBe(503)
  })

  it('streams events, and ends the request when the reader is gone', async () => {
    let stream: ServerResponse | undefined
    const { owner } = await serve((_request, response) => {
      stream = response.writeHead(200, { 'content-type': 'text/event-stream' })
      stream.write('data: 1\n\n')
    })
    const answer = await createForward(() => owner, vi.fn())(asked('/v1/changes'))
    const reader = answer.body!.getReader()
    const decoder = new TextDecoder()
    expect(decoder.decode((await reader.read()).value)).toBe('data: 1\n\n')
    stream?.write('data: 2\n\n')
    expect(decoder.decode((await reader.read()).value)).toBe('data: 2\n\n')
    const closed = once(stream!, 'close')
    await reader.cancel()
    await closed
  })

  it('ends a stream of events when the runtime ends, and fails other interrupted answers', async () => {
    const { owner, server } = await serve(({ url }, response) => {
      response.writeHead(200, { 'content-type': url === '/v1/changes' ? 'text/event-stream' : 'application/json' })
      response.write('data: 1\n\n')
    })
    const forward = createForward(() => owner, vi.fn())
    const events = await forward(asked('/v1/changes'))
    const list = await forward(asked('/v1/executions'))
    const texts = Promise.allSettled([events.text(), list.text()])
    server.closeAllConnections()
    expect((await texts).map(({ status }) => status)).toEqual(['fulfilled', 'rejected'])
  })

  it('ends the request when its signal aborts', async () => {
    let closed: Promise<unknown> | undefined
    const begun = Promise.withResolvers<void>()
    const { owner } = await serve((_request, response) => {
      closed = once(response, 'close')
      begun.resolve()
    })
    const aborting = new AbortController()
    const answer = createForward(() => owner, vi.fn())(asked('/v1/changes', { signal: aborting.signal }))
    await begun.promise
    aborting.abort()
    await expect(answer).rejects.toThrow(/abort/)
    await closed
  })

  it('streams the request body, and accepts an early answer', async () => {
    const { owner, meant } = await serve(ok)
    const forward = createForward(() => owner, vi.fn())
    const parts = new ReadableStream({
      start(controller) {
        for (const part of ['{"a":', '1}']) controller.enqueue(new TextEncoder().encode(part))
        controller.close()
      },
    })
    await forward(asked('/v1/executions', { method: 'POST', body: parts, duplex: 'half' }))
    expect(meant()[0]?.body).toBe('{"a":1}')
  })

  it('returns answers without a body', async () => {
    const { owner } = await serve((_request, response) => void response.writeHead(204).end())
    const forward = createForward(() => owner, vi.fn())
    expect(await forward(asked('/v1/executions/exe_1', { method: 'DELETE' }))).toMatchObject({
      status: 204,
      body: null,
    })
    expect(await forward(asked('/', { method: 'HEAD' }))).toMatchObject({ body: null })
  })

  it('repeats a read on a new connection if a kept one was closed', async () => {
    const { owner, server, connections } = await serve(ok)
    const forward = createForward(() => owner, vi.fn())
    await (await forward(asked('/v1/projects'))).text()
    server.closeAllConnections()
    expect((await forward(asked('/v1/projects'))).status).toBe(200)
    expect(connections()).toBe(2)
  })
})
