import { once } from 'node:events'
import type { RequestListener, Server, ServerResponse } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test, type TestContext } from 'vitest'
import { createHttpServer } from './create-server.ts'

const listening = async (
  { onTestFinished }: TestContext,
  listener: RequestListener,
  unreadMs?: number,
): Promise<Server> => {
  const server = createHttpServer(listener, undefined, unreadMs)
  server.headersTimeout = 100
  Object.assign(server, { connectionsCheckingInterval: 100 })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  return server
}

const connectTo = (server: Server) => connect((server.address() as AddressInfo).port, '127.0.0.1')

/** What comes over a new connection that sends this, until it ends. */
const answerTo = async (context: TestContext, sent: string): Promise<string> => {
  const socket = connectTo(await listening(context, (_request, response) => response.end()))
  socket.write(sent)
  let got = ''
  socket.setEncoding('utf8').on('data', (text: string) => (got += text))
  await once(socket, 'close')
  return got
}

test.concurrent('a connection that was opened ahead closes without an answer, so that a browser repeats what it just sent', async (context) => {
  const answer = await answerTo(context, '')
  expect(answer).toBe('')
})

const standStill = () => void Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 300)

test('a request is answered that arrived while the process stood still for longer than a client may take', async (context) => {
  const server = await listening(context, (_request, response) => response.end('answered'))
  const socket = connectTo(server)
  await Promise.all([once(server, 'connection'), once(socket, 'connect')])
  socket.write('GET / HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n')
  standStill()
  let got = ''
  socket.setEncoding('utf8').on('data', (text: string) => (got += text))
  await once(socket, 'close')
  expect(got).toContain('answered')
})

test('a request is answered that arrived on an idle connection while the process stood still', async (context) => {
  const server = await listening(context, (_request, response) => response.end('answered'))
  const socket = connectTo(server).setEncoding('utf8')
  socket.write('GET / HTTP/1.1\r\nhost: x\r\n\r\n')
  const [[connection]] = await Promise.all([once(server, 'connection'), once(socket, 'data')])
  connection.setTimeout(100)
  socket.write('GET / HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n')
  standStill()
  const [got] = await once(socket, 'data')
  expect(got).toContain('answered')
})

test.concurrent('a connection over which only empty lines come is closed', async (context) => {
  const server = await listening(context, (_request, response) => response.end('answered'), 50)
  const socket = connectTo(server).resume()
  socket.on('error', () => {}).write('GET / HTTP/1.1\r\nhost: x\r\n\r\n')
  await once(socket, 'data')
  const lines = setInterval(() => socket.write('\r\n'), 10)
  context.onTestFinished(() => clearInterval(lines))
  await expect(once(socket, 'close')).resolves.toHaveLength(1)
})

test.concurrent('a connection is not idle while its answer is held', async (context) => {
  const server = await listening(context, (_request, response) => setTimeout(() => response.end('answered'), 500), 50)
  const socket = connectTo(server).setEncoding('utf8')
  socket.write('GET / HTTP/1.1\r\nhost: x\r\n\r\n')
  expect((await once(socket, 'data'))[0]).toContain('answered')
})

test.concurrent('a connection that stays idle is closed', async (context) => {
  const server = await listening(context, (_request, response) => response.end('answered'))
  Object.assign(server, { keepAliveTimeout: 100, keepAliveTimeoutBuffer: 0 })
  const socket = connectTo(server).resume()
  socket.write('GET / HTTP/1.1\r\nhost: x\r\n\r\n')
  await expect(once(socket, 'close')).resolves.toEqual([false])
})

test.concurrent.for(['', '\r\n'])(
  'a connection of which nothing is read is closed, whoever sent the request, and whatever comes after it: %j',
  async (more, context) => {
    const server = await listening(context, (_request, response) => response.end('x'.repeat(8_000_000)), 100)
    const socket = connectTo(server).pause()
    const [[connection]] = await Promise.all([once(server, 'connection'), once(socket, 'connect')])
    context.onTestFinished(() => void socket.destroy())
    socket.write('GET / HTTP/1.1\r\nhost: x\r\n\r\n')
    const sending = setInterval(() => socket.write(more), 20)
    context.onTestFinished(() => clearInterval(sending))
    socket.on('error', () => {})
    await expect(once(connection, 'close')).resolves.toEqual([false])
  },
)

test.concurrent('a connection stays open while its answer is being made', async (context) => {
  const answer = async (_request: unknown, response: ServerResponse) => {
    await sleep(500)
    response.end('answered')
  }
  const server = await listening(context, (request, response) => void answer(request, response), 100)
  const socket = connectTo(server).setEncoding('utf8')
  context.onTestFinished(() => void socket.destroy())
  socket.write('GET / HTTP/1.1\r\nhost: x\r\n\r\n')
  const [got] = await once(socket, 'data')
  expect(got).toContain('answered')
})

test.concurrent('a head that never ends is answered', async (context) => {
  const answer = await answerTo(context, 'GET / HTTP/1.1\r\nhost: ')
  expect(answer).toContain('The request did not arrive in time.')
})

test.concurrent.for(['GET / HT', 'POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 9\r\n\r\nabc'])(
  'a caller who says that it sends no more in the middle of a request is told so: %j',
  async (sent, context) => {
    const server = await listening(context, (request) => void request.on('error', () => {}))
    const socket = connectTo(server)
    socket.end(sent)
    let got = ''
    socket.setEncoding('utf8').on('data', (text: string) => (got += text))
    await once(socket, 'close')
    expect(got).toContain('The connection ended before the whole request arrived.')
  },
)

test.concurrent('a body that never ends is not answered again after its answer', async (context) => {
  const server = await listening(context, (_request, response) => void response.write('answered;'))
  server.requestTimeout = 100
  const socket = connectTo(server)
  socket.write('POST / HTTP/1.0\r\nhost: x\r\ncontent-length: 9\r\n\r\nabc')
  let got = ''
  socket.setEncoding('utf8').on('data', (text: string) => (got += text))
  await once(socket, 'close')
  expect(got).toMatch(/^HTTP\/1\.1 200 OK\r\n[^]*\r\n\r\nanswered;$/)
})

test.concurrent('a caller who says at once that it sends no more gets its answers', async (context) => {
  const server = await listening(context, (_request, response) => {
    setTimeout(() => response.end('answered;'), 20)
  })
  const socket = connectTo(server)
  socket.end('GET / HTTP/1.1\r\nhost: x\r\n\r\n'.repeat(2))
  let got = ''
  socket.setEncoding('utf8').on('data', (text: string) => (got += text))
  await once(socket, 'close')
  expect(got.match(/answered;/g)).toHaveLength(2)
})

test.concurrent('a caller who sends no more and gets no answer counts as gone', async (context) => {
  const { promise: gone, resolve: onGone } = Promise.withResolvers<void>()
  const server = await listening(context, (_request, response) => void response.once('close', onGone))
  connectTo(server)
    .on('error', () => {})
    .end('GET / HTTP/1.1\r\nhost: x\r\n\r\n')
  await expect(gone).resolves.toBeUndefined()
})
