import { connect } from 'node:net'
import { EventSource, type MessageEvent } from 'undici'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { type Followed, followStream } from '../behaviour/event-stream.test-support.ts'
import { createHttpRig, type HttpRig } from './http-rig.test-support.ts'

let rig: HttpRig
beforeAll(async () => {
  rig = await createHttpRig({ changesCapacity: 50 })
  await rig.deploy('hello')
})
afterAll(() => rig.close())

const follow = async (headers: Readonly<Record<string, string>> = {}): Promise<Followed> => {
  const stream = await followStream(`${rig.origin}/v1/changes`, headers)
  expect((await stream.nextBlock())?.retry).toBe('1000')
  return stream
}

const statusesOf = async (stream: Followed, id: string) => {
  const statuses: string[] = []
  for (;;) {
    const change = JSON.parse((await stream.next())!.data!) as Record<string, string>
    if (change['executionId'] !== id) continue
    statuses.push(change['status']!)
    expect(Object.keys(change).toSorted()).toEqual(['at', 'executionId', 'programId', 'projectId', 'status'])
    if (['completed', 'failed', 'cancelled'].includes(change['status']!)) return statuses
  }
}

describe('the stream of changes', () => {
  it.each([
    ['another process', 'other:1'],
    ['a time too long ago', 'epoch:0'],
    ['the future', 'epoch:999999999'],
    ['nowhere', 'nonsense'],
    ['an id that is no number', 'epoch:x'],
  ])('sends reset if it cannot resume from %s, and continues from now', async (_where, lastEventId) => {
    for (let number = 0; number < 30; number += 1) await rig.start('hello', { do: 'return' })
    const stream = await follow({ 'last-event-id': lastEventId })
    expect(await stream.next()).toMatchObject({ event: 'reset', data: '{}' })
    const id = await rig.start('hello', { do: 'return' })
    expect(await statusesOf(stream, id)).toContain('completed')
    stream.leave()
  })

  it('is sent on at once by nginx', async () => {
    const answer = await fetch(`${rig.origin}/v1/changes`)
    expect(answer.headers.get('x-accel-buffering')).toBe('no')
    await answer.body?.cancel()
  })

  it('also sends reset if too much was missed, and the reader stays connected', async () => {
    const large = {
      key: 1,
      executionId: 'x'.repeat(20_000),
      programId: 'p',
      projectId: 'default',
      status: 'running' as const,
      at: 0,
    }
    const from = rig.changes.latest()
    rig.changes.publish(Array.from({ length: 40 }, () => large))
    const stream = await follow({ 'last-event-id': `epoch:${from}` })
    expect(await stream.next()).toMatchObject({ event: 'reset', data: '{}' })
    const id = await rig.start('hello', { do: 'return' })
    expect(await statusesOf(stream, id)).toContain('completed')
    stream.leave()
  })

  it('reports changes of the source and of the runtime to every reader', async () => {
    const stream = await follow()
    await stream.nextBlock()
    rig.changes.publish([{ kind: 'source' }, { kind: 'runtime' }])
    expect(await stream.next()).toMatchObject({ event: 'source', data: '{}' })
    expect(await stream.next()).toMatchObject({ event: 'runtime', data: '{}' })
    stream.leave()
  })

  it('sends everything to every reader, and removes readers that disconnect', async () => {
    const streams = await Promise.all(Array.from({ length: 150 }, () => follow()))
    await Promise.all(streams.map((stream) => stream.nextBlock()))
    const ids = await Promise.all([1, 2, 3].map(() => rig.start('hello', { do: 'return' })))
    for (const stream of streams) {
      const ended = new Set<string>()
      while (ended.size < ids.length) {
        const change = JSON.parse((await stream.next())!.data!) as { executionId: string; status: string }
        if (change.status === 'completed') ended.add(change.executionId)
      }
      expect([...ended].toSorted()).toEqual(ids.toSorted())
    }
    for (const stream of streams) stream.leave()
    // The server notices in its own time; then nobody is told any more.
    await vi.waitFor(async () => {
      const { count } = await new Promise<{ count: number }>((resolve, reject) =>
        rig.app.server.getConnections((error, count) => (error === null ? resolve({ count }) : reject(error))),
      )
      expect(count).toBeLessThan(150)
    })
    await rig.start('hello', { do: 'return' })
  })

  const large = {
    key: 1,
    executionId: 'x'.repeat(2_000),
    programId: 'p',
    projectId: 'default',
    status: 'running' as const,
    at: 0,
  }

  it('buffers nothing for a reader that does not read, tells it to read everything again, and continues', async () => {
    const slow = connect(rig.port, '127.0.0.1')
    slow.pause()
    slow.write(`GET /v1/changes HTTP/1.1\r\nhost: localhost:${rig.port}\r\n\r\n`)
    const quick = await follow()
    await quick.nextBlock()
    const before = process.memoryUsage().rss
    for (let batch = 0; batch < 400; batch += 1) {
      rig.changes.publish(Array.from({ length: 20 }, () => large))
      for (let event = 0; event < 20; event += 1) await quick.next()
    }
    expect(process.memoryUsage().rss - before).toBeLessThan(300 * 1024 * 1024)
    let text = ''
    slow.on('data', (chunk: Buffer) => (text += chunk.toString()))
    slow.resume()
    await vi.waitFor(() => expect(text).toContain('event: reset'))
    rig.changes.publish([{ ...large, executionId: 'last' }])
    await vi.waitFor(() => expect(text.slice(text.indexOf('event: reset'))).toContain('"last"'))
    expect(text.length).toBeLessThan(15 * 1024 * 1024)
    expect(JSON.parse((await quick.next())!.data!)).toMatchObject({ executionId: 'last' })
    quick.leave()
    slow.destroy()
  })

  it('needs its own connection', async () => {
    const waiting = await rig.start('hello', { do: 'wait', for: 'go' })
    const socket = connect(rig.port, '127.0.0.1')
    const request = (path: string, more = '') =>
      socket.write(`GET ${path} HTTP/1.1\r\nhost: localhost:${rig.port}\r\n${more}\r\n`)
    let text = ''
    socket.on('data', (chunk: Buffer) => (text += chunk.toString()))
    request(`/v1/executions/${waiting}/result`, 'prefer: wait=30\r\n')
    request('/v1/changes')
    await rig.call('POST', `/v1/executions/${waiting}/events`, { json: { name: 'go' } })
    await vi.waitFor(() => expect(text).toContain('rate_limited'))
    socket.destroy()
  })
})

describe('waits on one connection', () => {
  it('are held up to 16; others are answered at once with the current status', async () => {
    const waiting = await rig.start('hello', { do: 'wait', for: 'go' })
    const isWaiting = async () => (await rig.call('GET', `/v1/executions/${waiting}`)).json.status === 'waiting'
    await vi.waitUntil(isWaiting)
    const socket = connect(rig.port, '127.0.0.1')
    let text = ''
    socket.on('data', (chunk: Buffer) => (text += chunk.toString()))
    const request = `GET /v1/executions/${waiting}/result HTTP/1.1\r\nhost: localhost:${rig.port}\r\nprefer: wait=30\r\n\r\n`
    const held = vi.spyOn(rig.changes, 'whenTerminal')
    let reads = 0
    const count = () => (reads += 1)
    rig.app.server.on('request', count)
    socket.write(request.repeat(40))
    // The answers stand behind the first one, which is held.
    await vi.waitFor(() => expect(reads).toBe(40))
    rig.app.server.off('request', count)
    await vi.waitFor(() => expect(held).toHaveBeenCalledTimes(16))
    await rig.call('POST', `/v1/executions/${waiting}/events`, { json: { name: 'go' } })
    await vi.waitFor(() => expect(text.match(/HTTP\/1.1 200/g)).toHaveLength(40))
    expect(text.match(/preference-applied: wait=30/g)).toHaveLength(16)
    expect(text.match(/"status":"waiting"/g)).toHaveLength(24)
    // As many may be held again.
    const next = await rig.start('hello', { do: 'wait', for: 'go' })
    socket.write(`GET /v1/executions/${next}/result HTTP/1.1\r\nhost: localhost:${rig.port}\r\nprefer: wait=30\r\n\r\n`)
    await vi.waitFor(() => expect(held).toHaveBeenCalledTimes(17))
    await rig.call('POST', `/v1/executions/${next}/events`, { json: { name: 'go' } })
    await vi.waitFor(() => expect(text.match(/HTTP\/1.1 200/g)).toHaveLength(41))
    held.mockRestore()
    socket.destroy()
  })
})

describe('an EventSource on the page’s own path', () => {
  it('gets changes and deletions, reconnects by itself, and misses nothing', async () => {
    const source = new EventSource(`${rig.origin}/local/v1/changes`)
    const heard: string[] = []
    const hear = (kind: string, { data }: MessageEvent) => {
      const { executionId, status } = JSON.parse(data as string) as Record<string, string>
      heard.push(`${kind} ${executionId} ${status}`)
    }
    source.addEventListener('message', (event) => hear('message', event))
    source.addEventListener('deleted', (event) => hear('deleted', event as MessageEvent))
    try {
      await vi.waitFor(() => expect(source.readyState).toBe(EventSource.OPEN))
      const first = await rig.start('hello', { do: 'return' })
      await vi.waitFor(() => expect(heard).toContain(`message ${first} completed`))
      await rig.call('DELETE', `/v1/executions/${first}`)
      await vi.waitFor(() => expect(heard).toContain(`deleted ${first} completed`))
      // The connection breaks; what happens before it is made again is told then.
      rig.app.server.closeAllConnections()
      await vi.waitFor(() => expect(source.readyState).toBe(EventSource.CONNECTING))
      const second = await rig.start('hello', { do: 'return' })
      await vi.waitFor(() => expect(heard).toContain(`message ${second} completed`))
      expect(new Set(heard.filter((one) => one.endsWith('queued'))).size).toBe(2)
    } finally {
      source.close()
    }
  })
})

describe('the stream without changes', () => {
  it('sends a comment every 15 seconds', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
    try {
      const stream = await follow()
      await stream.nextBlock()
      await vi.advanceTimersByTimeAsync(15_000)
      expect(await stream.nextBlock()).toEqual({ comment: expect.any(String) })
      stream.leave()
    } finally {
      vi.useRealTimers()
    }
  })
})
