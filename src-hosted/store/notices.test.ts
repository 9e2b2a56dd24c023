import { createServer, type AddressInfo, type Socket } from 'node:net'
import { expect, it, onTestFinished, vi } from 'vitest'
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

/** A PostgreSQL that only answers reads: it lets everybody in, and nobody listen. */
const startStandby = async () => {
  const sessions = new Set<Socket>()
  let count = 0
  const server = createServer((socket) => {
    count += 1
    sessions.add(socket)
    socket.on('error', () => {}).on('close', () => sessions.delete(socket))
    socket.on('data', (data) => void socket.write(data.includes('LISTEN') ? REFUSED : LET_IN))
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
  const standby = await startStandby()
  const notices = createNotices(standby.url)
  const listening = notices.listen(
    () => {},
    () => {},
  )
  await vi.waitUntil(() => standby.count() >= 4)
  await vi.waitUntil(() => standby.sessions.size <= 1)
  await listening.stop()
  await notices.close()
})
