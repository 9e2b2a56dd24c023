import { once } from 'node:events'
import { renameSync, rmSync } from 'node:fs'
import { createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { temporaryFolder } from '../../../src-runtime/shared/temporary-folder.test-support.ts'
import { openTunnel } from './open-tunnel.ts'

/** An egress proxy that answers with this text, and ends. */
const proxyThatSays = async (answer: string): Promise<string> => {
  const folder = temporaryFolder('tunnel')
  const server = createServer((socket) => socket.once('data', () => socket.end(answer)))
  const path = join(folder, 'proxy')
  server.listen(path)
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  return path
}

it.each([
  ['', 'ECONNRESET'],
  ['HTTP/1.1 403 Forbidden\r\n', 'ECONNRESET'],
  ['HTTP/1.1 403 Forbidden\r\n\r\n', 'ECONNRESET'],
  ['HTTP/1.1 403 Forbidden\r\n\r\n{"code":"EAC', 'ECONNRESET'],
  ['HTTP/1.1 403 Forbidden\r\n\r\n{"code":"EACCES","message":"no"}', 'EACCES'],
])('an egress proxy that ends after %j fails the connection with %s', async (answer, code) => {
  const egress = await proxyThatSays(answer)
  const connect = (socket: Socket, options: { readonly path: string }) => void socket.connect(options)
  const opened = openTunnel('example.com:80', { egress, connect }, new AbortController().signal)
  await expect(opened).rejects.toMatchObject({ code })
})

it('waits for the next process of an egress proxy where one has died', async () => {
  const folder = temporaryFolder('tunnel')
  const [egress, aside] = [join(folder, 'proxy'), join(folder, 'aside')]
  const dead = createServer().listen(egress)
  await once(dead, 'listening')
  // A server that closes removes its socket; a process that dies does not.
  renameSync(egress, aside)
  dead.close()
  renameSync(aside, egress)
  const next = createServer((socket) =>
    socket.once('data', () => socket.write('HTTP/1.1 200 OK\r\nx-address: ::1\r\n\r\n')),
  )
  onTestFinished(() => void next.close())
  const tries = ['the dead one', 'none', 'the next one'].values()
  const said: string[] = []
  const connect = (socket: Socket, options: { readonly path: string }): void => {
    const what = tries.next().value ?? ''
    said.push(what)
    if (what === 'none') rmSync(egress)
    const begin = () => void socket.connect(options)
    if (what === 'the next one') next.listen(egress, begin)
    else begin()
  }
  const { address, handle } = await openTunnel('example.com:80', { egress, connect }, new AbortController().signal)
  handle.close()
  expect([address, said]).toEqual(['::1', ['the dead one', 'none', 'the next one']])
})

it('an egress proxy that takes no connection is named in the error', async () => {
  const egress = join(temporaryFolder('tunnel'), 'none')
  const connect = (socket: Socket, options: { readonly path: string }) => void socket.connect(options)
  const opened = openTunnel('example.com:80', { egress, connect }, new AbortController().signal)
  await expect(opened).rejects.toMatchObject({
    code: 'ENOENT',
    message: expect.stringMatching(
      /^the egress proxy did not take the connection \(connect ENOENT .*: too many are open/,
    ),
  })
})
