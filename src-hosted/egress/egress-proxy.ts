// The way out of an effect host: an HTTP proxy for CONNECT on a Unix socket. It resolves names, checks addresses, connects
// and then passes bytes on. GET /resolve answers the addresses of a name, for what asks before it connects.

import { createServer, type IncomingMessage, type Server } from 'node:http'
import { connect, type Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { messageOf } from '../../src-runtime/shared/message-of.ts'
import type { AddressRules } from './address-rules.ts'
import { readAuthority, type Authority } from './authority.ts'
import { CONNECTIONS_PER_SECOND, type ConnectionRate } from './connection-rate.ts'
import type { EgressLimits } from './egress-limits.ts'
import type { Lookups } from './lookups.ts'
import { resolveTarget, type Target } from './resolve-target.ts'

export type EgressProxy = {
  /** Resolves once it accepts connections. */
  listen(path: string): Promise<void>
  /** Ends its connections. */
  close(): Promise<void>
}

export type EgressProxyOptions = {
  readonly workspaceId: string
  readonly rules: () => AddressRules
  readonly lookups: Lookups
  readonly limits: EgressLimits
  readonly rate: ConnectionRate
  /** For the operator's log. */
  readonly onRefused?: (message: string) => void
}

const LONGEST_HEAD_BYTES = 4_096
const LISTENS_AGAIN_MS = 1_000

export const createEgressProxy = ({
  workspaceId,
  rules,
  lookups,
  limits,
  rate,
  onRefused,
}: EgressProxyOptions): EgressProxy => {
  const open = new Set<Duplex>()
  let tunnels = 0
  const resolve = lookups.resolveFor(workspaceId, limits)
  const server = createServer({ maxHeaderSize: LONGEST_HEAD_BYTES, requestTimeout: limits.lookupMs })

  const keep = <Stream extends Duplex>(stream: Stream): Stream => {
    open.add(stream)
    stream.on('close', () => open.delete(stream))
    return stream
  }

  const find = async (authority: Authority, caller: Duplex): Promise<Target> => {
    const gone = new AbortController()
    caller.once('close', () => gone.abort())
    const target = await resolveTarget(authority, (host) => resolve(host, gone.signal), rules)
    if (target.kind === 'refused') onRefused?.(target.forLog)
    return target
  }

  const tunnel = async (request: IncomingMessage, client: Duplex, head: Buffer): Promise<void> => {
    if (tunnels >= limits.connections) {
      const message = `effects of a version may have ${limits.connections} connections at once, and these are open`
      onRefused?.(message)
      return answer(client, 503, { code: 'EMFILE', message })
    }
    tunnels += 1
    client.on('close', () => (tunnels -= 1))
    const authority = readAuthority(request.url ?? '')
    if (authority === undefined) return answer(client, 400, { code: 'EINVAL', message: 'CONNECT takes host:port' })
    const target = await find(authority, client)
    if (target.kind !== 'addresses') return refuse(client, target)
    const deadline = performance.now() + limits.connectMs
    let failure: NodeJS.ErrnoException = new Error(`${authority.host} has no address`)
    for (const [index, address] of target.addresses.entries()) {
      if (client.destroyed) return
      const left = (deadline - performance.now()) / (target.addresses.length - index)
      try {
        const upstream = keep(await connectTo(address, authority.port, left))
        return join(request.socket, upstream, head, limits)
      } catch (error) {
        failure = error as NodeJS.ErrnoException
      }
    }
    answer(client, 502, { code: failure.code ?? 'ECONNREFUSED', message: failure.message })
  }

  let isClosed = false
  let pause: NodeJS.Timeout | undefined
  /** Until it listens again, the system refuses connections, which takes this process no time. */
  const pauseFor = (path: string, ms: number): void => {
    server.close()
    pause = setTimeout(() => {
      pause = undefined
      if (isClosed) return
      listen(server, path).catch((error: unknown) => {
        onRefused?.(`effects cannot connect to the network: ${messageOf(error)}`)
        pauseFor(path, LISTENS_AGAIN_MS)
      })
    }, ms)
  }
  server.on('connection', (socket: Socket) => {
    keep(socket)
    const ms = rate.add(workspaceId)
    const path = server.address()
    if (ms === 0 || pause !== undefined || typeof path !== 'string') return
    onRefused?.(`effects of a workspace may open ${CONNECTIONS_PER_SECOND} connections a second, and have`)
    pauseFor(path, ms)
  })
  // Those beyond the bound are told so. What opens even more of them is not.
  server.maxConnections = 2 * limits.connections
  server.on('connect', (request: IncomingMessage, client: Duplex, head: Buffer) => {
    client.on('error', () => client.destroy())
    tunnel(request, client, head).catch(() => client.destroy())
  })
  const asked = new WeakSet<Socket>()
  server.on('request', (request: IncomingMessage, response) => {
    const { socket } = request
    // Node reads further requests before the first is answered, however many they are.
    if (asked.has(socket)) return void socket.destroy()
    asked.add(socket)
    const reply = (status: number, body: object): void => {
      response.writeHead(status, { 'content-type': 'application/json', connection: 'close' }).end(JSON.stringify(body))
    }
    const host = URL.parse(request.url ?? '/', 'http://egress')?.searchParams.get('host') ?? ''
    const authority = readAuthority(host.includes(':') ? `[${host}]:1` : `${host}:1`)
    if (authority === undefined) return reply(400, { code: 'EINVAL', message: 'GET /resolve?host= takes a host name' })
    find(authority, socket).then(
      (target) => reply(target.kind === 'addresses' ? 200 : statusOf(target), bodyOf(target)),
      () => response.destroy(),
    )
  })
  return {
    listen: (path) => listen(server, path),
    close: async () => {
      isClosed = true
      clearTimeout(pause)
      const closed = new Promise((resolveClose) => server.close(resolveClose))
      for (const stream of open) stream.destroy()
      await closed
    },
  }
}

const listen = (server: Server, path: string): Promise<void> =>
  new Promise((resolve, reject) => {
    server.once('error', reject)
    // Effects of each workspace may run as a user of their own. Only they find the path.
    server.listen({ path, readableAll: true, writableAll: true }, () => {
      server.off('error', reject)
      resolve()
    })
  })

const connectTo = (address: string, port: number, ms: number): Promise<Socket> =>
  new Promise((resolve, reject) => {
    const socket = connect({ host: address, port, allowHalfOpen: true, noDelay: true })
    const place = address.includes(':') ? `[${address}]:${port}` : `${address}:${port}`
    const timer = setTimeout(
      () => socket.destroy(Object.assign(new Error(`connect ETIMEDOUT ${place}`), { code: 'ETIMEDOUT' })),
      Math.max(ms, 1),
    )
    socket.once('error', reject)
    socket.once('close', () => clearTimeout(timer))
    socket.once('connect', () => {
      clearTimeout(timer)
      socket.off('error', reject)
      resolve(socket)
    })
  })

/** Passes bytes on in both directions until both sides have ended. */
const join = (client: Socket, upstream: Socket, head: Buffer, limits: EgressLimits): void => {
  client.on('close', () => upstream.destroy())
  upstream.on('error', () => client.destroy())
  // What the other side sent last may still be on its way to the client.
  upstream.on('close', () => client.end())
  if (client.destroyed) return void upstream.destroy()
  const limitSilence = (ms: number): void => {
    for (const socket of [client, upstream]) socket.setTimeout(ms)
  }
  for (const socket of [client, upstream]) socket.on('timeout', () => client.destroy())
  limitSilence(limits.idleMs)
  client.on('end', () => limitSilence(limits.halfOpenMs))
  client.write(`HTTP/1.1 200 Connected\r\nx-address: ${upstream.remoteAddress}\r\n\r\n`)
  if (head.length > 0) upstream.write(head)
  client.pipe(upstream)
  upstream.pipe(client)
}

const statusOf = ({ kind }: Exclude<Target, { kind: 'addresses' }>): number => (kind === 'refused' ? 403 : 502)

const bodyOf = (target: Target): object => {
  switch (target.kind) {
    case 'addresses':
      return { addresses: target.addresses }
    case 'refused':
      return { code: 'EACCES', message: target.message }
    case 'unknown':
      return { code: target.code, message: target.message }
  }
}

const refuse = (client: Duplex, target: Exclude<Target, { kind: 'addresses' }>): void =>
  answer(client, statusOf(target), bodyOf(target))

const answer = (client: Duplex, status: number, body: object): void => {
  const text = JSON.stringify(body)
  // What is not read would keep the connection open, and counted, after the client has closed it.
  client.resume()
  client.end(
    `HTTP/1.1 ${status} Refused\r\ncontent-type: application/json\r\ncontent-length: ${Buffer.byteLength(text)}\r\nconnection: close\r\n\r\n${text}`,
  )
}
