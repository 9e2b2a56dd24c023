import Fastify from 'fastify'
import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import { connect, type AddressInfo } from 'node:net'
import { expect, it, onTestFinished } from 'vitest'
import { PAGE_BYTES } from '../contract/limits.ts'
import { addBodyParsers } from './body-parsers.ts'
import { createHttpServer } from './create-server.ts'
import { takeRoom, type NeededRoom, type OwnRoom } from './request-room.ts'

const LARGE = 'x'.repeat(8_000_000)
const SMALL = 'x'.repeat(60_000)
const CHINESE = '日'.repeat(3_000_000)
const SILENCE_MS = 500
const MOST_HELD = 150_000
/** Of an answer that is held, beside its body. */
const HELD = 8 * 1024

/** A server whose callers take room, with a count of the bytes that are taken. */
const startRoom = async (
  silenceMs = SILENCE_MS,
  untilFree = async (_response: ServerResponse): Promise<void> => {},
) => {
  let taken = 0
  let asking: ServerResponse | undefined
  const asked: NeededRoom[] = []
  const turns: (() => void)[] = []
  const occupy = (_who: string, bytes: number) => {
    taken += bytes
    return () => void (taken -= bytes)
  }
  const room = {
    take: async (who: string, needed: NeededRoom) => {
      asked.push(needed)
      await untilFree(asking!)
      return occupy(who, needed.bytes)
    },
    turn: () => {
      const { promise, resolve } = Promise.withResolvers<void>()
      turns.push(resolve)
      return promise
    },
    occupy,
    hold: (who: string, bytes: number) => (bytes > MOST_HELD ? undefined : occupy(who, bytes)),
  }
  const app = Fastify({
    serverFactory: (listener) => createHttpServer(listener, undefined, silenceMs),
  })
  const rooms = new WeakMap<object, OwnRoom>()
  app.addHook('onRequest', async (request, reply) => {
    asking = reply.raw
    rooms.set(request, (await takeRoom(room, 'somebody', request, reply)) as OwnRoom)
  })
  addBodyParsers(app, (request) => rooms.get(request)?.turn)
  app.post('/length', (request, reply) => void reply.send(String((request.body as string).length)))
  app.get('/small', (request, reply) => {
    rooms.get(request)?.answer(SMALL)
    void reply.send(SMALL)
  })
  app.get('/page', { config: { answerBytes: PAGE_BYTES } }, (_request, reply) => void reply.send(SMALL))
  app.get('/chinese', (request, reply) => {
    rooms.get(request)?.answer(CHINESE)
    void reply.send(CHINESE)
  })
  app.get('/large', (request, reply) => {
    rooms.get(request)?.answer(LARGE)
    void reply.send(LARGE)
  })
  app.get('/stream', (request, reply) => {
    rooms.get(request)?.hold('stream')
    reply.hijack()
    reply.raw.write('retry: 1')
  })
  app.route({
    method: ['GET', 'POST'],
    url: '/held',
    handler: (request, reply) => {
      const own = rooms.get(request)!
      if (!own.hold('answer')) return void reply.send('not held')
      setTimeout(() => void own.resume().then((refusal) => reply.send(refusal?.code ?? 'done')), 2 * SILENCE_MS)
    },
  })
  await app.listen({ host: '127.0.0.1', port: 0 })
  onTestFinished(() => app.close())
  const { port } = app.server.address() as AddressInfo
  return { port, url: `http://127.0.0.1:${port}`, asked, turns, taken: () => taken }
}

const askWithoutReading = (port: number, requests: string): void => {
  const socket = connect(port, '127.0.0.1')
  onTestFinished(() => void socket.destroy())
  socket.on('error', () => {}).pause()
  socket.write(requests)
}

it('gives back the room of an answer that its caller does not read, and disconnects it', async () => {
  const { port, taken } = await startRoom()
  askWithoutReading(port, 'GET /large HTTP/1.1\r\nhost: a\r\n\r\n')
  await expect.poll(taken).toBe(LARGE.length)
  await expect.poll(taken).toBe(0)
})

it('counts the bytes of an answer, not its characters', async () => {
  const { port, taken } = await startRoom()
  askWithoutReading(port, 'GET /chinese HTTP/1.1\r\nhost: a\r\n\r\n')
  await expect.poll(taken).toBe(9_000_000)
})

it('counts many small answers that their caller does not read, and disconnects it', async () => {
  const { port, taken } = await startRoom()
  askWithoutReading(port, 'GET /small HTTP/1.1\r\nhost: a\r\n\r\n'.repeat(400))
  await expect.poll(taken).toBeGreaterThan(1_000_000)
  await expect.poll(taken).toBe(0)
})

it('lets a caller read slowly', async () => {
  // Longer than a busy machine stops this process, which sends and reads.
  const silenceMs = 1_500
  const { port } = await startRoom(silenceMs)
  const socket = connect(port, '127.0.0.1')
  onTestFinished(() => void socket.destroy())
  let got = 0
  socket.on('data', (bytes) => {
    got += bytes.length
    socket.pause()
    setTimeout(() => socket.resume(), 20)
  })
  const startedAt = performance.now()
  socket.write('GET /large HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n')
  await new Promise((resolve) => socket.once('close', resolve))
  expect(performance.now() - startedAt).toBeGreaterThan(silenceMs)
  expect(got).toBeGreaterThan(LARGE.length)
})

it('lets a caller wait for an answer that is held behind another one', async () => {
  const { port, url } = await startRoom()
  const socket = connect(port, '127.0.0.1')
  onTestFinished(() => void socket.destroy())
  let got = ''
  socket.setEncoding('utf8').on('data', (text: string) => (got += text))
  const held = 'POST /held HTTP/1.1\r\nhost: a\r\ncontent-length: 0\r\n'
  socket.write(`GET /small HTTP/1.1\r\nhost: a\r\n\r\n${held}\r\n${held}connection: close\r\n\r\n`)
  await new Promise((resolve) => socket.once('close', resolve))
  expect(got.match(/done/g)).toHaveLength(2)
  expect((await fetch(`${url}/small`)).status).toBe(200)
})

it('lets a caller wait for an answer that got room when those in front of it were sent', async () => {
  const { port } = await startRoom(SILENCE_MS, async (response) => {
    if (response.socket === null) await once(response, 'socket')
  })
  const socket = connect(port, '127.0.0.1').setEncoding('utf8')
  onTestFinished(() => void socket.destroy())
  let got = ''
  socket.on('data', (text: string) => (got += text))
  socket.write('GET /small HTTP/1.1\r\nhost: a\r\n\r\nGET /held HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n')
  await once(socket, 'close')
  expect(got).toMatch(/done$/)
})

it('counts an answer until it is sent', async () => {
  const { url, taken, asked } = await startRoom()
  expect((await (await fetch(`${url}/large`)).text()).length).toBe(LARGE.length)
  expect(asked).toEqual([{ bytes: 1024 ** 2, isRead: true }])
  await expect.poll(taken).toBe(0)
})

it('takes room for a page before it is read, because many pages at once are far more than as many values', async () => {
  const { url, taken, asked } = await startRoom()
  await (await fetch(`${url}/page`)).text()
  expect(asked).toEqual([{ bytes: PAGE_BYTES, isRead: true }])
  await expect.poll(taken).toBe(0)
})

const postHeld = async (url: string, length: number, signal?: AbortSignal): Promise<string> => {
  const headers = { 'content-type': 'application/json' }
  const body = JSON.stringify('x'.repeat(length - 2))
  return (await fetch(`${url}/held`, { method: 'POST', headers, body, ...(signal !== undefined && { signal }) })).text()
}

it('counts large bodies only, and those of held answers whatever their length', async () => {
  const { url, taken, asked, turns } = await startRoom()
  const small = postHeld(url, 1_000)
  await expect.poll(taken).toBe(HELD + 1_000)
  expect(asked).toEqual([])
  const large = postHeld(url, 100_000)
  await expect.poll(() => turns.length).toBe(1)
  expect(asked).toEqual([{ bytes: 100_000, isRead: false }])
  turns[0]!()
  expect([await small, await large]).toEqual(['done', 'done'])
  await expect.poll(taken).toBe(0)
})

it('counts a stream until its caller is gone, with what the system keeps for one that does not read', async () => {
  const { url, taken } = await startRoom()
  const stream = await fetch(`${url}/stream`)
  expect(taken()).toBe(64 * 1024)
  await stream.body!.cancel()
  await expect.poll(taken).toBe(0)
})

it('holds no answer whose body there is no room for', async () => {
  const { url, taken, turns } = await startRoom()
  const answer = postHeld(url, MOST_HELD + 1)
  await expect.poll(() => turns.length).toBe(1)
  turns[0]!()
  expect(await answer).toBe('not held')
  await expect.poll(taken).toBe(0)
})

it('waits for the room of an answer that was held, and gives it back if the caller leaves meanwhile', async () => {
  const free = Promise.withResolvers<void>()
  const { url, taken } = await startRoom(SILENCE_MS, () => free.promise)
  const controller = new AbortController()
  const left = postHeld(url, 1_000, controller.signal).catch(() => 'left')
  const answer = postHeld(url, 1_000)
  await expect.poll(taken).toBe(2 * (HELD + 1_000))
  controller.abort()
  expect(await left).toBe('left')
  await expect.poll(taken).toBe(HELD + 1_000)
  free.resolve()
  expect(await answer).toBe('done')
  await expect.poll(taken).toBe(0)
})

it('tells the room that a caller is gone who left before it was asked', async () => {
  const known = Promise.withResolvers<void>()
  const arrived = Promise.withResolvers<void>()
  const asked = Promise.withResolvers<AbortSignal>()
  const room = {
    take: async (_who: string, _needed: NeededRoom, gone: AbortSignal) => {
      asked.resolve(gone)
      return () => {}
    },
    turn: () => Promise.resolve(),
    occupy: () => () => {},
    hold: () => () => {},
  }
  const app = Fastify()
  app.addHook('onRequest', async (request, reply) => {
    reply.raw.once('close', known.resolve)
    arrived.resolve()
    await known.promise
    await takeRoom(room, 'somebody', request, reply)
  })
  app.get('/small', () => SMALL)
  await app.listen({ host: '127.0.0.1', port: 0 })
  onTestFinished(() => app.close())
  const socket = connect((app.server.address() as AddressInfo).port, '127.0.0.1')
  socket.write('GET /small HTTP/1.1\r\nhost: a\r\n\r\n')
  await arrived.promise
  socket.destroy()
  expect((await asked.promise).aborted).toBe(true)
})

it('gives back the room of a caller who left while it waited for room', async () => {
  const free = Promise.withResolvers<void>()
  const { port, asked, taken } = await startRoom(SILENCE_MS, async (response) => {
    await once(response.req.socket, 'close')
    free.resolve()
  })
  const socket = connect(port, '127.0.0.1')
  socket.write('GET /small HTTP/1.1\r\nhost: a\r\n\r\n')
  await expect.poll(() => asked.length).toBe(1)
  socket.destroy()
  await free.promise
  await new Promise(setImmediate)
  expect(taken()).toBe(0)
})

it('parses a large body when it is its turn, and a small one at once', async () => {
  const { url, turns } = await startRoom()
  const lengthOf = async (text: string): Promise<string> => {
    const headers = { 'content-type': 'application/json' }
    return (await fetch(`${url}/length`, { method: 'POST', headers, body: JSON.stringify(text) })).text()
  }
  const answer = lengthOf('x'.repeat(100_000))
  await expect.poll(() => turns.length).toBe(1)
  expect(await lengthOf('x'.repeat(50_000))).toBe('50000')
  turns[0]!()
  expect(await answer).toBe('100000')
})
