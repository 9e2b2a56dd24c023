import Fastify from 'fastify'
import { once } from 'node:events'
import { connect, type AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it, onTestFinished } from 'vitest'
import type { EventStream } from '../contract/operations.ts'
import { createHttpServer } from './create-server.ts'
import { sendStream } from './send-stream.ts'

it('ends when its reader reads nothing for long, and not while nothing is written', async () => {
  let left = false
  const silence = Promise.withResolvers<void>()
  const stream: EventStream = (sink) => {
    sink.write(': hello\n\n')
    void silence.promise.then(() => sink.write(`: ${'x'.repeat(8_000_000)}\n\n`))
    return () => void (left = true)
  }
  const app = Fastify({ serverFactory: (listener) => createHttpServer(listener, undefined, 100) })
  app.get('/', (request, reply) => sendStream(request, reply, stream, () => () => {}))
  await app.listen({ host: '127.0.0.1', port: 0 })
  onTestFinished(() => app.close())
  const socket = connect((app.server.address() as AddressInfo).port, '127.0.0.1')
  onTestFinished(() => void socket.destroy())
  socket.write('GET / HTTP/1.1\r\nhost: x\r\n\r\n')
  await once(socket, 'data')
  await sleep(500)
  expect(left).toBe(false)
  socket.pause()
  silence.resolve()
  await expect.poll(() => left).toBe(true)
})
