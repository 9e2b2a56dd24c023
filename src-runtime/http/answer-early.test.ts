import Fastify from 'fastify'
import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { connect, type AddressInfo } from 'node:net'
import { expect, it, onTestFinished, vi } from 'vitest'
import { answerEarly } from './answer-early.ts'

it('reads for a few seconds what a caller sends after its answer, and then closes the connection', async () => {
  const app = Fastify()
  const refused = Promise.withResolvers<IncomingMessage>()
  app.addHook('onRequest', (request, reply) => {
    answerEarly(reply, 401, {}, 'refused')
    refused.resolve(request.raw)
  })
  await app.listen({ host: '127.0.0.1', port: 0 })
  onTestFinished(() => app.close())
  const socket = connect((app.server.address() as AddressInfo).port, '127.0.0.1')
  onTestFinished(() => void socket.destroy())
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
  onTestFinished(() => void vi.useRealTimers())
  socket.write('POST / HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\n')
  const [answer] = await once(socket, 'data')
  expect(String(answer)).toContain('refused')
  const request = await refused.promise
  socket.on('error', () => {}).resume()

  let isOpen = true
  const closed = once(request.socket, 'close').then(() => void (isOpen = false))
  let wasRead = (): void => {}
  request.on('data', () => wasRead())
  // A byte every half second, until nobody reads it.
  let seconds = 0
  for (; isOpen && seconds < 60; seconds += 0.5) {
    const read = new Promise<void>((resolve) => (wasRead = resolve))
    socket.write('1\r\nx\r\n')
    await Promise.race([read, closed])
    await vi.advanceTimersByTimeAsync(500)
  }
  expect(seconds).toBeGreaterThan(4)
  expect(seconds).toBeLessThan(10)
})
