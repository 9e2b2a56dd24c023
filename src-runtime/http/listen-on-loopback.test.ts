import { once } from 'node:events'
import { request, type IncomingMessage } from 'node:http'
import { connect, createServer, type AddressInfo, type Server } from 'node:net'
import { networkInterfaces } from 'node:os'
import { text as readText } from 'node:stream/consumers'
import Fastify, { type FastifyInstance } from 'fastify'
import { pino } from 'pino'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { PortTakenError } from '../shared/runtime.ts'
import { createHttpServer } from './create-server.ts'
import { listenOn, listenOnLoopback, type Listening } from './listen-on-loopback.ts'
import { withoutLoopbackIpv6 } from './without-loopback-ipv6.test-support.ts'

const hasIpv6 = Object.values(networkInterfaces()).some((addresses) =>
  addresses?.some(({ address }) => address === '::1'),
)

const lines: { level: number; msg: string }[] = []
const log = pino({}, { write: (line: string) => lines.push(JSON.parse(line) as { level: number; msg: string }) })

const createApp = (): FastifyInstance => {
  const app = Fastify({ serverFactory: (listener) => createHttpServer(listener) })
  app.get('/', () => 'here')
  return app
}

const listen = async (port: number): Promise<Listening> => {
  const listening = await listenOnLoopback(createApp(), port, log)
  onTestFinished(listening.stop)
  return listening
}

const squat = (host: string, port: number): Promise<number> =>
  new Promise((resolve, reject) => {
    const server: Server = createServer()
    onTestFinished(() => new Promise((done) => server.close(() => done())))
    server.once('error', reject)
    server.listen({ host, port }, () => resolve((server.address() as AddressInfo).port))
  })

describe('listening', () => {
  it('answers on 127.0.0.1, and on ::1 if available, on the same port', async () => {
    const { port, pageHost } = await listen(0)
    expect(pageHost).toBe('localhost')
    expect(await (await fetch(`http://127.0.0.1:${port}/`)).text()).toBe('here')
    if (hasIpv6) expect(await (await fetch(`http://[::1]:${port}/`)).text()).toBe('here')
    await expect(squat('127.0.0.1', port)).rejects.toThrow('EADDRINUSE')
  })

  it('is refused if another process listens', async () => {
    const port = await squat('127.0.0.1', 0)
    await expect(listen(port)).rejects.toEqual(new PortTakenError(port))
  })

  it.runIf(hasIpv6)('continues with a warning if only ::1 is in use, and names 127.0.0.1 to pages', async () => {
    const port = await squat('::1', 0)
    lines.length = 0
    const listening = await listen(port)
    expect(listening).toMatchObject({ port, pageHost: '127.0.0.1' })
    expect(lines.map(({ level }) => level)).toEqual([40])
    expect(await (await fetch(`http://127.0.0.1:${port}/`)).text()).toBe('here')
  })

  it.each(['EADDRNOTAVAIL', 'EAFNOSUPPORT'])('needs no ::1, without a word where there is none (%s)', async (code) => {
    withoutLoopbackIpv6(code)
    lines.length = 0
    const { port, pageHost } = await listen(0)
    expect([pageHost, lines]).toEqual(['localhost', []])
    expect(await (await fetch(`http://127.0.0.1:${port}/`)).text()).toBe('here')
  })

  it.each([0, 1_000])(
    'answers or refuses all who connect again and again while it stops, and serves them for %s ms',
    async (leaveMs) => {
      const { port, stop } = await listenOn(createApp(), { home: 'local', host: '127.0.0.1', port: 0, leaveMs }, log)
      onTestFinished(stop)
      let answered = 0
      const call = () =>
        new Promise<void>((resolve, reject) => {
          const answer = (response: IncomingMessage) => response.resume().once('end', resolve)
          request({ host: '127.0.0.1', port, agent: false }, answer).once('error', reject).end()
        })
      const caller = async (): Promise<unknown> => {
        try {
          for (;;) {
            await call()
            answered += 1
          }
        } catch (error) {
          return (error as NodeJS.ErrnoException).code
        }
      }
      const callers = Array.from({ length: 30 }, caller)
      await vi.waitUntil(() => answered > 100)
      await stop()
      expect(new Set(await Promise.all(callers))).toEqual(new Set(['ECONNREFUSED']))
    },
  )

  it('answers who has connected and sends a request only once it accepts no more', async () => {
    const { port, stop } = await listen(0)
    const connected = async () => {
      const socket = connect(port, '127.0.0.1')
      onTestFinished(() => void socket.destroy())
      await once(socket, 'connect')
      return socket
    }
    const socket = await connected()
    const stopping = stop()
    const isRefused = () =>
      connected().then(
        (other) => void other.destroy(),
        () => true,
      )
    const someTurns = async () => {
      for (let turn = 0; turn < 50; turn += 1) await new Promise((resolve) => setImmediate(resolve))
    }
    // The server goes on accepting while others connect.
    do await someTurns()
    while (!(await isRefused()))
    // The caller has more to do than the server.
    await someTurns()
    socket.write('GET / HTTP/1.1\r\nhost: localhost\r\n\r\n')
    expect(await readText(socket)).toMatch(/^HTTP\/1\.1 /)
    await stopping
  })

  it('releases the port when it stops', async () => {
    const { port, stop } = await listen(0)
    await stop()
    await stop()
    expect(await squat('127.0.0.1', port)).toBe(port)
  })
})
