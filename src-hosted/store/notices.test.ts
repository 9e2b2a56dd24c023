import { createServer, type AddressInfo, type Socket } from 'node:net'
import { expect, it, onTestFinished, vi } from 'vitest'
import { within } from '../../src-runtime/shared/within.ts'
import { createNotices } from './notices.ts'

/** A message of PostgreSQL's protocol. */
const message = (type: string, body: Buffer): Buffer => {
  const head = Buffer.from(`${type}0000`)
  head.writeInt32BE(body.length + 4, 1)
  return Buffer.concat([head, body])
}
const READY = message('Z', Buffer.from('I'))
const LET_IN = Buffer.concat([message('R', Buffer.alloc(4)), READY])
const REFUSED = Buffer.concat([
  message('E', Buffer.from('SERROR\0C25006\0Mcannot execute LISTEN during recovery\0\0')),
  READY,
])
const LISTENS = Buffer.concat([message('C', Buffer.from('LISTEN\0')), READY])

/** A server that lets everybody in, and answers LISTEN with this, and nothing else. `isDeaf`: it does not see that somebody leaves. */
const startServer = async (answer: Buffer, isDeaf = false) => {
  const sessions = new Set<Socket>()
  let count = 0
  const server = createServer({ allowHalfOpen: isDeaf }, (socket) => {
    count += 1
    sessions.add(socket)
    socket.on('error', () => {}).on('close', () => sessions.delete(socket))
    socket.on('data', (data) => {
      if (data.includes('LISTEN')) socket.write(answer)
      else if (data.includes('wes_worker')) socket.write(LET_IN)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    for (const socket of sessions) socket.destroy()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  return { url: `postgres://wes@127.0.0.1:${port}/wes`, sessions, count: () => count }
}

it('keeps no session in which it could not listen', async () => {
  const standby = await startServer(REFUSED)
  const notices = createNotices(standby.url)
  const listening = notices.listen(
    () => {},
    () => {},
  )
  await vi.waitUntil(() => standby.count() >= 4)
  await expect.poll(() => standby.sessions.size).toBeLessThanOrEqual(1)
  await listening.stop()
  await notices.close()
})

it('stops soon although its server does not answer any more', async () => {
  const { url } = await startServer(LISTENS, true)
  const notices = createNotices(url)
  const listens = Promise.withResolvers<void>()
  const listening = notices.listen(() => {}, listens.resolve)
  await listens.promise
  const stopped = listening.stop().then(() => true)
  expect(await within(1_900, stopped)).toBe(true)
  await notices.close()
})

it('listens anew where nothing is answered on its connection any more', async () => {
  const server = await startServer(LISTENS, true)
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] })
  onTestFinished(() => void vi.useRealTimers())
  const notices = createNotices(server.url)
  const gaps = vi.fn()
  const listening = notices.listen(() => {}, gaps)
  await vi.waitUntil(async () => {
    await vi.advanceTimersByTimeAsync(500)
    return gaps.mock.calls.length === 2
  })
  expect(server.count()).toBe(2)
  vi.useRealTimers()
  await listening.stop()
  await notices.close()
})
