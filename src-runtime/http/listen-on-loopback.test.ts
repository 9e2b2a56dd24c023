import { createServer, type AddressInfo, type Server } from 'node:net'
import { networkInterfaces } from 'node:os'
import Fastify from 'fastify'
import { pino } from 'pino'
import { describe, expect, it, onTestFinished } from 'vitest'
import { PortTakenError } from '../shared/runtime.ts'
import { createHttpServer } from './create-server.ts'
import { listenOnLoopback, type Listening } from './listen-on-loopback.ts'
import { withoutLoopbackIpv6 } from './without-loopback-ipv6.test-support.ts'

const hasIpv6 = Object.values(networkInterfaces()).some((addresses) =>
  addresses?.some(({ address }) => address === '::1'),
)

const lines: { level: number; msg: string }[] = []
const log = pino({}, { write: (line: string) => lines.push(JSON.parse(line) as { level: number; msg: string }) })

const listen = async (port: number): Promise<Listening> => {
  const app = Fastify({ serverFactory: (listener) => createHttpServer(listener) })
  app.get('/', () => 'here')
  const listening = await listenOnLoopback(app, port, log)
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

  it('releases the port when it stops', async () => {
    const { port, stop } = await listen(0)
    await stop()
    await stop()
    expect(await squat('127.0.0.1', port)).toBe(port)
  })
})
