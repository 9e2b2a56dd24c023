import { once } from 'node:events'
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { temporaryFolder } from '../../src-runtime/shared/temporary-folder.test-support.ts'
import { parseRanges } from './address-rules.ts'
import { createConnectionRate, type ConnectionRate } from './connection-rate.ts'
import { DEFAULT_EGRESS_LIMITS, type EgressLimits } from './egress-limits.ts'
import { createEgressProxy } from './egress-proxy.ts'
import { createLookups } from './lookups.ts'
import type { ResolveHost } from './resolve-target.ts'

const proxyWith = async (
  options: { allow?: string; resolve?: ResolveHost; limits?: Partial<EgressLimits>; rate?: ConnectionRate } = {},
): Promise<{ path: string; refused: string[]; close: () => Promise<void> }> => {
  const folder = temporaryFolder('egress')
  const refused: string[] = []
  const proxy = createEgressProxy({
    workspaceId: 'wsp_1',
    rules: () => ({ allowed: parseRanges(options.allow ?? '127.0.0.1'), own: new Set(), closed: new Map() }),
    lookups: createLookups(
      options.resolve ?? (() => Promise.reject(Object.assign(new Error('none'), { code: 'ENOTFOUND' }))),
    ),
    limits: { ...DEFAULT_EGRESS_LIMITS, ...options.limits },
    rate: options.rate ?? createConnectionRate(() => performance.now()),
    onRefused: (message) => refused.push(message),
  })
  const path = join(folder, 'egress.sock')
  await proxy.listen(path)
  onTestFinished(() => proxy.close())
  return { path, refused, close: proxy.close }
}

/** A server on the loopback address: its port. */
const serverThat = async (serve: (socket: Socket) => void): Promise<number> => {
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    socket.on('error', () => undefined)
    serve(socket)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  return (server.address() as AddressInfo).port
}

/** Everything that the proxy answers until it ends. */
const send = async (path: string, text: string, more = ''): Promise<string> => {
  const socket = connect(path)
  let answer = ''
  socket.setEncoding('utf8').on('data', (part: string) => (answer += part))
  socket.on('error', () => undefined)
  socket.end(text + more)
  await new Promise((resolve) => socket.once('close', resolve))
  return answer
}

const CONNECT = (authority: string): string => `CONNECT ${authority} HTTP/1.1\r\nhost: ${authority}\r\n\r\n`
const GET = (target: string): string => `GET ${target} HTTP/1.1\r\nhost: egress\r\n\r\n`
const RESOLVE = (host: string): string => GET(`/resolve?host=${host}`)

describe('the egress proxy', () => {
  it('passes on what both sides send, also what was sent before it connected', async () => {
    const port = await serverThat((socket) => socket.pipe(socket))
    const { path } = await proxyWith()
    const large = 'x'.repeat(1_000_000)
    const answer = await send(path, CONNECT(`127.0.0.1:${port}`), large)
    expect(answer).toBe(`HTTP/1.1 200 Connected\r\nx-address: 127.0.0.1\r\n\r\n${large}`)
  })

  it('passes on what a server says first, and its end', async () => {
    const port = await serverThat((socket) => socket.end('220 mail\r\n'))
    const { path } = await proxyWith()
    expect(await send(path, CONNECT(`127.0.0.1:${port}`))).toContain('\r\n\r\n220 mail\r\n')
  })

  it('refuses an address, and says why', async () => {
    const { path, refused } = await proxyWith()
    const message = 'effects may not connect to 169.254.169.254: it is a link-local address'
    const answer = await send(path, CONNECT('169.254.169.254:80'))
    expect(answer).toMatch(/^HTTP\/1\.1 403 Refused\r\n/)
    expect(answer).toContain(JSON.stringify({ code: 'EACCES', message }))
    expect(refused).toEqual([message])
  })

  it('resolves a name once, and connects to the address that it checked', async () => {
    const port = await serverThat((socket) => socket.end('here'))
    const answers = [['127.0.0.1'], ['10.0.0.1']]
    let asked = 0
    const { path, refused } = await proxyWith({ resolve: () => Promise.resolve(answers[asked++] ?? []) })
    expect(await send(path, CONNECT(`changing.example:${port}`))).toContain('x-address: 127.0.0.1\r\n\r\nhere')
    expect(asked).toBe(1)
    const answer = await send(path, CONNECT(`changing.example:${port}`))
    expect(answer).toContain('"effects may not connect to changing.example: it is not public"')
    expect(asked).toBe(2)
    // Only the operator is told where the name leads.
    expect(answer).not.toContain('10.0.0.1')
    expect(refused).toEqual([
      'effects may not connect to changing.example: it is not public, but 10.0.0.1, a private address',
    ])
  })

  it('tries only the allowed addresses of a name, one after the other', async () => {
    const port = await serverThat((socket) => socket.end('here'))
    const resolve: ResolveHost = () => Promise.resolve(['10.0.0.1', '127.0.0.2', '127.0.0.1'])
    const { path } = await proxyWith({ resolve, allow: '127.0.0.1,127.0.0.2' })
    expect(await send(path, CONNECT(`several.example:${port}`))).toContain('x-address: 127.0.0.1\r\n\r\nhere')
  })

  it('says that nothing answers', async () => {
    const { path } = await proxyWith()
    const answer = await send(path, CONNECT('127.0.0.1:1'))
    expect(answer).toMatch(
      /^HTTP\/1\.1 502 .*\{"code":"ECONNREFUSED","message":"connect ECONNREFUSED 127\.0\.0\.1:1"\}$/s,
    )
    expect(await send(path, CONNECT('nowhere.example:80'))).toContain(
      'nowhere.example could not be resolved (ENOTFOUND)',
    )
  })

  it('gives up a name server that does not answer', async () => {
    const { path } = await proxyWith({ resolve: () => new Promise(() => undefined), limits: { lookupMs: 50 } })
    expect(await send(path, CONNECT('silent.example:80'))).toContain(
      '{"code":"EAI_AGAIN","message":"silent.example could not be resolved (EAI_AGAIN)"}',
    )
  })

  it('begins no more lookups than may be under way, though their callers wait no more', async () => {
    let begun = 0
    const resolve: ResolveHost = () => {
      begun += 1
      return new Promise(() => undefined)
    }
    const { path } = await proxyWith({ resolve, limits: { lookups: 1, lookupMs: 50 } })
    const answers = await Promise.all(['a', 'b', 'c'].map((host) => send(path, CONNECT(`${host}.example:80`))))
    for (const answer of answers) expect(answer).toContain('EAI_AGAIN')
    expect(begun).toBe(1)
  })

  it('looks up no name whose caller is gone', async () => {
    const lookups: { readonly host: string; readonly end: () => void }[] = []
    const resolve: ResolveHost = (host) =>
      new Promise((found) => lookups.push({ host, end: () => found(['10.0.0.1']) }))
    const { path } = await proxyWith({ resolve, limits: { lookups: 1 } })
    const first = send(path, CONNECT('first.example:80'))
    await expect.poll(() => lookups.length).toBe(1)
    const caller = connect(path)
    await once(caller, 'connect')
    await new Promise((written) => caller.write(RESOLVE('gone.example'), written))
    caller.destroy()
    // Answered after the proxy has seen that the caller is gone.
    await send(path, GET('/'))
    const last = send(path, RESOLVE('last.example'))
    lookups[0]!.end()
    await first
    await expect.poll(() => lookups.length).toBe(2)
    lookups[1]!.end()
    await last
    expect(lookups.map(({ host }) => host)).toEqual(['first.example', 'last.example'])
  })

  it('answers one question of a connection, and ends one on which more are asked', async () => {
    let begun = 0
    const resolve: ResolveHost = () => {
      begun += 1
      return new Promise(() => undefined)
    }
    const { path } = await proxyWith({ resolve })
    expect(await send(path, RESOLVE('many.example').repeat(3))).toBe('')
    expect(begun).toBe(1)
  })

  it.each(['127.0.0.1', '127.0.0.1:0', '127.0.0.1:65536', 'a b:80', 'user@host:80', '[::1:80', 'http://a:80'])(
    'takes no CONNECT to "%s"',
    async (authority) => {
      const { path } = await proxyWith()
      expect(await send(path, CONNECT(authority))).toMatch(/^HTTP\/1\.1 400 /)
    },
  )

  it('answers the allowed addresses of a name', async () => {
    const resolve: ResolveHost = (host) =>
      Promise.resolve(host === 'inner.example' ? ['10.0.0.1'] : ['10.0.0.1', '1.1.1.1'])
    const { path } = await proxyWith({ resolve })
    const get = (target: string) => send(path, GET(target))
    expect(await get('/resolve?host=both.example')).toMatch(/^HTTP\/1\.1 200 .*"addresses":\["1\.1\.1\.1"\]/s)
    expect(await get('/resolve?host=inner.example')).toMatch(/^HTTP\/1\.1 403 .*inner\.example: it is not public"/s)
    expect(await get('/resolve')).toMatch(/^HTTP\/1\.1 400 /)
    expect(await get('//')).toMatch(/^HTTP\/1\.1 400 /)
  })

  it('ends connections that nobody uses', async () => {
    const port = await serverThat(() => undefined)
    const { path } = await proxyWith({ limits: { idleMs: 50 } })
    expect(await send(path, CONNECT(`127.0.0.1:${port}`))).toMatch(/^HTTP\/1\.1 200 /)
  })

  it('has another bound on connections that ask for nothing', async () => {
    const { path } = await proxyWith({ limits: { connections: 1 } })
    const silent = [connect(path), connect(path)]
    onTestFinished(() => silent.forEach((socket) => socket.destroy()))
    await Promise.all(silent.map((socket) => once(socket, 'connect')))
    expect(await send(path, CONNECT('10.0.0.1:1'))).toBe('')
    silent.forEach((socket) => socket.destroy())
    await expect.poll(() => send(path, CONNECT('10.0.0.1:1'))).toContain('403')
  })

  it('takes no connections once too many were opened in a second, until the next one, and keeps what is open', async () => {
    const port = await serverThat((socket) => socket.pipe(socket))
    let opened = 0
    const rate = { add: () => ((opened += 1) === 2 ? 2_000 : 0) }
    const { path, refused } = await proxyWith({ rate })
    const socket = connect(path)
    onTestFinished(() => void socket.destroy())
    socket.write(CONNECT(`127.0.0.1:${port}`))
    await once(socket, 'readable')
    expect(String(socket.read())).toMatch(/^HTTP\/1\.1 200 /)

    await send(path, CONNECT('10.0.0.1:1'))
    expect(refused).toContain('effects of a workspace may open 1000 connections a second, and have')
    const [error] = (await once(connect(path), 'error')) as [Error]
    expect(error.message).toMatch(/ENOENT|ECONNREFUSED/)
    socket.write('still open')
    await once(socket, 'readable')
    expect(String(socket.read())).toBe('still open')
    await expect.poll(() => send(path, CONNECT('10.0.0.1:1'))).toContain('403')
  })

  it('closes while it takes no connections', async () => {
    const { path, close } = await proxyWith({ rate: { add: () => 50 } })
    await send(path, CONNECT('10.0.0.1:1'))
    await close()
    await close()
    expect(await send(path, CONNECT('10.0.0.1:1'))).toBe('')
  })

  it('has a bound on connections, and says so to those beyond it', async () => {
    const port = await serverThat((socket) => socket.resume())
    const { path, refused } = await proxyWith({ limits: { connections: 2, halfOpenMs: 50 } })
    const open = async (): Promise<Socket> => {
      const socket = connect(path)
      socket.on('error', () => undefined).write(CONNECT(`127.0.0.1:${port}`))
      onTestFinished(() => void socket.destroy())
      await once(socket, 'readable')
      return socket
    }
    const message = 'effects of a version may have 2 connections at once, and these are open'
    const sockets = await Promise.all([open(), open(), open()])
    const answers = sockets.map((socket) => String(socket.read()))
    const isOpen = answers.map((answer) => answer.startsWith('HTTP/1.1 200 '))
    expect(isOpen.filter(Boolean)).toHaveLength(2)
    expect(answers[isOpen.indexOf(false)]).toContain(JSON.stringify({ code: 'EMFILE', message }))
    expect(refused).toEqual([message])
    sockets[isOpen.indexOf(true)]!.destroy()
    await expect.poll(() => send(path, CONNECT('10.0.0.1:1'))).toContain('403')
  })

  it('counts a refused connection no more once it was closed, also if it had sent more', async () => {
    const { path } = await proxyWith({ limits: { connections: 1 } })
    const socket = connect(path)
    onTestFinished(() => void socket.destroy())
    socket.write(CONNECT('10.0.0.1:1'))
    await once(socket, 'readable')
    socket.write('more')
    await once(socket.resume(), 'end')
    socket.destroy()
    await expect.poll(() => send(path, CONNECT('10.0.0.1:1'))).toContain('403')
  })
})
