import type { ServerResponse } from 'node:http'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { createClient } from './create-client.ts'
import {
  type Answer,
  inTurn,
  json,
  reset,
  type ScriptedServer,
  startScriptedServer,
  until,
} from './scripted-server.test-support.ts'
import { ServiceRuntimeError } from './service-runtime-error.ts'
import type { ChangeMessage } from './stream-changes.ts'
import type { FetchFunction } from './web-platform.ts'

const change = (executionId: string) => ({
  executionId,
  programId: 'p',
  projectId: 'default',
  status: 'running',
  at: '2026-01-31T12:00:00.000Z',
})

const event = (id: string, data: unknown, name?: string): string =>
  `id: ${id}\n${name === undefined ? '' : `event: ${name}\n`}data: ${JSON.stringify(data)}\n\n`

type Feed = (controller: ReadableStreamDefaultController) => void

/** Of a `fetch` that ignores its signal. */
const openResponse = (start?: Feed, pull?: Feed): Response =>
  new Response(new ReadableStream({ ...(start && { start }), ...(pull && { pull }) }), {
    headers: { 'content-type': 'text/event-stream' },
  })

/** A stream of these texts, each sent separately. It ends when the test says so, or at once. */
const stream =
  (texts: readonly string[], onOpen: (response: ServerResponse) => void = (response) => response.end()): Answer =>
  async (_request, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' })
    for (const text of texts) await new Promise((resolve) => response.write(text, resolve))
    onOpen(response)
  }

let server: ScriptedServer | undefined
afterEach(async () => {
  await server?.close()
  server = undefined
})

const serve = async (...answers: readonly Answer[]) => {
  server = await startScriptedServer(inTurn(...answers))
  return createClient({ url: server.url, projectId: 'prj_1' })
}

/** The first messages, and the calls of the callbacks. */
const take = async (changes: AsyncIterable<ChangeMessage>, count: number): Promise<readonly ChangeMessage[]> => {
  const messages: ChangeMessage[] = []
  for await (const message of changes) {
    messages.push(message)
    if (messages.length === count) break
  }
  return messages
}

const RETRY = 'retry: 10\nid: e:0\n\n'

describe('following changes', () => {
  it('returns each change, in any chunks', async () => {
    const text = RETRY + event('e:1', change('a')) + ':\n\n' + event('e:2', change('ü'), 'deleted')
    const client = await serve(stream([...text], () => {}))
    const messages = await take(client.streamChanges(), 2)
    expect(messages).toEqual([
      { kind: 'change', id: 'e:1', change: change('a') },
      { kind: 'deleted', id: 'e:2', change: change('ü') },
    ])
    expect(server?.seen[0]?.headers).toMatchObject({ accept: 'text/event-stream', 'x-service-project-id': 'prj_1' })
    expect(server?.seen[0]?.headers).not.toHaveProperty('last-event-id')
  })

  it('closes the connection when the iteration ends', async () => {
    const client = await serve(stream([RETRY, event('e:1', change('a'))], () => {}))
    expect(await take(client.streamChanges(), 1)).toHaveLength(1)
    await until(async () => (await server!.connections()) === 0)
  })

  it('waits for the time of Retry-After', async () => {
    const busy = json(429, { error: { code: 'rate_limited', message: 'later' } }, { 'retry-after': '2' })
    const client = await serve(
      busy,
      stream([RETRY, event('e:1', change('a'))], () => {}),
    )
    const startedAt = performance.now()
    expect(await take(client.streamChanges(), 1)).toHaveLength(1)
    expect(performance.now() - startedAt).toBeGreaterThanOrEqual(1_990)
  })

  it('resumes after the last change when the connection is lost, and reports its state', async () => {
    const told: string[] = []
    const client = await serve(
      stream([RETRY, event('e:1', change('a'))], (response) => response.destroy()),
      reset,
      json(503, { error: { code: 'unavailable', message: 'restarting' } }),
      stream([event('e:2', change('b'))]),
    )
    const messages = await take(
      client.streamChanges({ onOpen: () => told.push('open'), onLost: () => told.push('lost') }),
      2,
    )
    expect(messages.map(({ id }) => id)).toEqual(['e:1', 'e:2'])
    expect(told).toEqual(['open', 'lost', 'lost', 'lost', 'open'])
    expect(server?.seen.map(({ headers }) => headers['last-event-id'])).toEqual([undefined, 'e:1', 'e:1', 'e:1'])
  })

  it('resumes from the given id, also one without a change', async () => {
    const client = await serve(
      stream(['retry: 10\nid: e:8\n\n']),
      stream([event('e:9', change('a'))], () => {}),
    )
    await take(client.streamChanges({ lastEventId: 'e:5' }), 1)
    expect(server?.seen.map(({ headers }) => headers['last-event-id'])).toEqual(['e:5', 'e:8'])
  })

  it('says that changes were missed if a connection opened, and was lost before it said where to resume', async () => {
    const client = await serve(
      reset,
      stream(['retry: 10\n\n'], (response) => response.destroy()),
      stream(['retry: 10\n\n']),
      stream([RETRY, event('e:1', change('a'))], (response) => response.destroy()),
      stream(['retry: 10\n\n', event('e:2', change('b'))], () => {}),
    )
    const messages = await take(client.streamChanges(), 3)
    expect(messages.map(({ kind, id }) => `${kind} ${id}`)).toEqual(['reset e:0', 'change e:1', 'change e:2'])
  })

  it('resumes after the last id that a header can carry', async () => {
    const client = await serve(
      stream([RETRY, event('e:1', change('a')), event('日本', change('b')), event('e\0', change('c'))]),
      stream([event('e:2', change('d'))], () => {}),
    )
    const messages = await take(client.streamChanges(), 4)
    expect(messages.map(({ id }) => id)).toEqual(['e:1', 'e:1', 'e:1', 'e:2'])
    expect(server?.seen[1]?.headers['last-event-id']).toBe('e:1')
  })

  it('says of no missed changes if no connection was open before', async () => {
    const client = await serve(
      reset,
      stream([RETRY, event('e:1', change('a'))], () => {}),
    )
    expect(await take(client.streamChanges(), 1)).toMatchObject([{ kind: 'change', id: 'e:1' }])
  })

  it('refuses an id that no header can carry', async () => {
    const client = await serve()
    await expect(take(client.streamChanges({ lastEventId: 'e:5\n' }), 1)).rejects.toThrow(TypeError)
  })

  it('reports missed changes', async () => {
    const client = await serve(stream(['id: f:3\nevent: reset\ndata: {}\n\n'], () => {}))
    expect(await take(client.streamChanges({ lastEventId: 'e:5' }), 1)).toEqual([{ kind: 'reset', id: 'f:3' }])
  })

  it('ignores unknown events and fields, and accepts any line ending', async () => {
    const text = event('e:1', {}, 'later') + 'id: e:2\r\nlater: x\r\ndata: {\r\ndata: "executionId":"a"}\r\n\r\n'
    const client = await serve(stream([text], () => {}))
    expect(await take(client.streamChanges(), 1)).toEqual([{ kind: 'change', id: 'e:2', change: { executionId: 'a' } }])
  })

  it('keeps line separators of Unicode, which end no line', async () => {
    const executionId = 'a\u2028b\u2029c\u0085d'
    const client = await serve(stream([event('e:1', { executionId })], () => {}))
    expect(await take(client.streamChanges(), 1)).toEqual([{ kind: 'change', id: 'e:1', change: { executionId } }])
  })

  it.each(['\r', '\n', '\r\n'])('accepts the line ending %j, in any chunks', async (end) => {
    const [first, second] = [`data: {${end}data: "executionId":"a"}`, 'data: {"executionId":"b"}']
    const text = `id: e:1${end}${first}${end}${end}:${end}${end}id: e:2${end}${second}${end}${end}`
    for (const texts of [[text], [...text]]) {
      const client = await serve(stream(texts, () => {}))
      expect(await take(client.streamChanges(), 2)).toEqual([
        { kind: 'change', id: 'e:1', change: { executionId: 'a' } },
        { kind: 'change', id: 'e:2', change: { executionId: 'b' } },
      ])
      await server?.close()
    }
  })

  it('reconnects at most ten times a second or so, whatever the service asks for', async () => {
    const client = await serve(
      stream(['retry: 0\n\n']),
      stream([]),
      stream([event('e:1', change('a'))], () => {}),
    )
    const startedAt = performance.now()
    expect(await take(client.streamChanges(), 1)).toHaveLength(1)
    expect(performance.now() - startedAt).toBeGreaterThanOrEqual(145)
  })

  it('connects again after a silence of the service, but not while its caller works', async () => {
    vi.useFakeTimers()
    try {
      let send = (_text: string): void => {}
      const fetch = vi.fn<FetchFunction>((_url, { signal }) => {
        const body = new ReadableStream<Uint8Array>({
          start: (controller) => {
            send = (text) => controller.enqueue(new TextEncoder().encode(text))
            signal?.addEventListener('abort', () => controller.error(signal.reason))
          },
        })
        return Promise.resolve(new Response(body, { headers: { 'content-type': 'text/event-stream' } }))
      })
      const changes = createClient({ url: 'http://x.test', fetch }).streamChanges()[Symbol.asyncIterator]()
      const first = changes.next()
      await vi.advanceTimersByTimeAsync(0)
      send(event('e:1', change('exe_1')))
      expect(await first).toMatchObject({ value: { id: 'e:1' } })
      await vi.advanceTimersByTimeAsync(120_000)
      send(event('e:2', change('exe_2')))
      expect(await changes.next()).toMatchObject({ value: { id: 'e:2' } })
      expect(fetch).toHaveBeenCalledTimes(1)
      const third = changes.next()
      await vi.advanceTimersByTimeAsync(50_000)
      send(event('e:3', change('exe_3')))
      expect(await third).toMatchObject({ value: { id: 'e:3' } })
      expect(fetch).toHaveBeenCalledTimes(2)
      await changes.return?.()
    } finally {
      vi.useRealTimers()
    }
  })

  it('pauses for longer after each try that fails, and shortly again once it was connected', async () => {
    vi.useFakeTimers()
    const random = vi.spyOn(Math, 'random').mockReturnValue(0.5)
    try {
      const triedAt: number[] = []
      const fetch: FetchFunction = async () => {
        triedAt.push(Date.now())
        if (triedAt.length < 5) throw new TypeError('fetch failed')
        const text = triedAt.length === 5 ? '' : event('e:1', change('exe_1'))
        return new Response(text, { headers: { 'content-type': 'text/event-stream' } })
      }
      const messages = take(createClient({ url: 'http://x.test', fetch }).streamChanges(), 1)
      await vi.advanceTimersByTimeAsync(60_000)
      expect(await messages).toHaveLength(1)
      const pauses = triedAt.slice(1).map((at, index) => at - triedAt[index]!)
      expect(pauses).toEqual([1_000, 1_500, 2_250, 3_375, 1_000])
    } finally {
      random.mockRestore()
      vi.useRealTimers()
    }
  })

  it.each(['onOpen', 'onLost'] as const)('rejects with what %s throws', async (name) => {
    const thrown = new Error('of the caller')
    const client = await serve(stream([RETRY]))
    const throwing = () => {
      throw thrown
    }
    await expect(take(client.streamChanges({ [name]: throwing }), 1)).rejects.toBe(thrown)
    expect(server?.seen).toHaveLength(1)
  })

  it('ends when its signal aborts, while it reads, pauses or before it began', async () => {
    const client = await serve(
      stream([RETRY], () => {}),
      reset,
    )
    const reading = new AbortController()
    const ended = take(
      client.streamChanges({ signal: reading.signal, onOpen: () => setTimeout(() => reading.abort(), 20) }),
      1,
    )
    expect(await ended).toEqual([])
    const pausing = new AbortController()
    const paused = take(
      client.streamChanges({ signal: pausing.signal, onLost: () => setTimeout(() => pausing.abort(), 20) }),
      1,
    )
    expect(await paused).toEqual([])
    expect(await take(client.streamChanges({ signal: AbortSignal.abort() }), 1)).toEqual([])
    await until(async () => (await server!.connections()) === 0)
  })

  it('ends with its signal even if fetch ignores it, before and after the response', async () => {
    for (const answer of [new Promise<Response>(() => {}), Promise.resolve(openResponse())]) {
      const changes = createClient({ url: 'http://x.test', fetch: () => answer })
      const controller = new AbortController()
      const ended = take(changes.streamChanges({ signal: controller.signal }), 1)
      setTimeout(() => controller.abort(), 20)
      expect(await ended).toEqual([])
    }
    const message = new TextEncoder().encode(event('e:1', change('exe_1')))
    const fetch = () => Promise.resolve(openResponse((controller) => controller.enqueue(message)))
    const controller = new AbortController()
    const seen: string[] = []
    for await (const { id } of createClient({ url: 'http://x.test', fetch }).streamChanges({
      signal: controller.signal,
    })) {
      seen.push(id)
      controller.abort()
    }
    expect(seen).toEqual(['e:1'])
  })

  it('keeps nothing of what it has read', async () => {
    const comment = new TextEncoder().encode(`:${'.'.repeat(256 * 1024)}\n\n`)
    const message = new TextEncoder().encode(event('e:1', change('exe_1')))
    let left = 400
    const fetch = () =>
      Promise.resolve(
        openResponse(undefined, (controller) => controller.enqueue(left-- > 0 ? comment.slice() : message)),
      )
    const changes = createClient({ url: 'http://x.test', fetch }).streamChanges()[Symbol.asyncIterator]()
    expect(await changes.next()).toMatchObject({ value: { id: 'e:1' } })
    setFlagsFromString('--expose-gc')
    const collect = runInNewContext('gc') as () => void
    // What is collected is given back a little later, on another thread.
    await vi.waitUntil(() => {
      collect()
      return process.memoryUsage().arrayBuffers < 50 * 1024 * 1024
    })
    await changes.return?.()
  })

  it.each<[string, Answer, number, string]>([
    ['the service lacks it', json(404, { error: { code: 'not_found', message: 'no' } }), 404, 'not_found'],
    ['the token is bad', json(401, {}), 401, 'unauthorized'],
    ['something else answers', json(200, {}), 200, 'invalid_response'],
    ...['{', 'null', '5', '{"executionId":7}', `"${'x'.repeat(65_536)}`].map(
      (data): [string, Answer, number, string] => [
        `${data.slice(0, 20)} comes in place of a change`,
        stream([`id: e:1\ndata: ${data}${data.length < 100 ? '\n\n' : ''}`], () => {}),
        200,
        'invalid_response',
      ],
    ),
  ])('rejects if %s', async (_when, answer, status, code) => {
    const client = await serve(answer)
    const error: unknown = await take(client.streamChanges(), 1).catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(ServiceRuntimeError)
    expect(error).toMatchObject({ status, code })
    expect(server?.seen).toHaveLength(1)
  })

  it.each([
    ['no body', null],
    ['a body of another kind, as node-fetch does', { pipe: () => {} }],
  ])('rejects if fetch returns %s', async (_what, body) => {
    const fetch = () => Promise.resolve(Object.defineProperty(openResponse(), 'body', { value: body }))
    const next = createClient({ url: 'http://service.test', fetch }).streamChanges()[Symbol.asyncIterator]().next()
    await expect(next).rejects.toMatchObject({
      code: 'invalid_response',
      message: expect.stringContaining('body stream'),
    })
  })
})
