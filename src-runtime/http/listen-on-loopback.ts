// Binds the addresses that a server accepts connections at: both loopback addresses separately, so that another process
// cannot hold one of them unnoticed, or another host's.

import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import { connect, Server as NetServer, type Socket } from 'node:net'
import type { FastifyInstance } from 'fastify'
import type { Logger } from 'pino'
import { errorJson, type ApiError } from '../contract/errors.ts'
import type { Home } from '../contract/operation-spec.ts'
import { bindServer, isMissingAddress } from '../shared/bind-server.ts'
import { PortTakenError } from '../shared/runtime.ts'
import { shuttingDown } from './answer-error.ts'
import { createHttpServer } from './create-server.ts'
import { API_HEADERS } from './headers.ts'

export type Listening = {
  readonly port: number
  /** Where browsers certainly reach this server: another process may hold the other address of `localhost`. */
  readonly pageHost: 'localhost' | '127.0.0.1'
  /**
   * Serves those who are connected for `leaveMs`, answers held requests, refuses new ones, also of those who have just connected,
   * accepts no more connections, waits for running requests, refuses those that still run, closes. May be called twice.
   */
  stop(): Promise<void>
}

/** How long requests that are under way may take to end when the runtime stops. */
const DRAIN_MS = 2_000
/** For how long callers may read answers then. */
const READ_MS = 500
/** Of these: others may go on connecting. Node accepts one connection in each turn of the event loop, and hundreds may wait for that. */
const ACCEPT_MS = 1_500
/** How long a new connection may bring nothing: on a busy machine, callers send their first request later. Browsers' spare ones are older. */
const FIRST_REQUEST_MS = 500
/** Another process may hold the system's choice for 127.0.0.1 on ::1. */
const PORT_CHOICES = 10

export const listenOnLoopback = (app: FastifyInstance, port: number, log: Logger): Promise<Listening> =>
  listenOn(app, { home: 'local', host: 'localhost', port }, log)

const CONNECTS_WITHIN_MS = 1_000

/**
 * Rejects with a PortTakenError if somebody accepts connections at the port. It binds nothing: two that start at the same moment would each
 * find the port taken by the other's try.
 */
export const expectFreePort = (port: number): Promise<void> =>
  new Promise((resolve, reject) => {
    const taken = (): void => {
      socket.destroy()
      reject(new PortTakenError(port))
    }
    const socket = connect({ host: '127.0.0.1', port, timeout: CONNECTS_WITHIN_MS })
    socket.once('connect', taken).once('timeout', taken)
    socket.once('error', () => resolve())
  })

/**
 * `localhost` stands for both loopback addresses. `home`: what callers are told is shutting down. `leaveMs`, of the 2 s that running
 * requests get: while it stops, how long it still serves requests, up to the last one of each connection. Otherwise a request that is
 * on its way to an idle connection finds it closed, and its caller does not know whether it was done.
 */
export const listenOn = async (
  app: FastifyInstance,
  options: { readonly home: Home; readonly host: string; readonly port: number; readonly leaveMs?: number },
  log: Logger,
): Promise<Listening> => {
  const { home, host, port, leaveMs = 0 } = options
  await app.ready()
  const bound =
    host === 'localhost'
      ? await bindLoopback(app, port, log)
      : { port: await bindServer(app.server, host, port), second: undefined, isSecondTaken: false }
  const servers = bound.second === undefined ? [app.server] : [app.server, bound.second]
  const requests = watchRequests(servers)
  let stopped: Promise<void> | undefined
  const stop = async () => {
    const endsAt = performance.now() + DRAIN_MS
    requests.closeAfterAnswer()
    if (leaveMs > 0) {
      await acceptNoMore(servers)
      await requests.left(leaveMs)
    }
    const closed = app.close() // from now on, it refuses requests
    if (leaveMs === 0) await acceptNoMore(servers)
    await requests.heard()
    await untilQuiet(servers, 'request')
    for (const server of servers) server.close()
    await closed
    await requests.drained(Math.max(0, endsAt - performance.now()))
    requests.refuseLeft(shuttingDown(home))
    await requests.drained(READ_MS)
    for (const server of servers) server.closeAllConnections()
  }
  return {
    port: bound.port,
    pageHost: bound.isSecondTaken ? '127.0.0.1' : 'localhost',
    stop: () => (stopped ??= stop()),
  }
}

const bindLoopback = async (
  app: FastifyInstance,
  port: number,
  log: Logger,
): Promise<{ readonly port: number; readonly second: Server | undefined; readonly isSecondTaken: boolean }> => {
  for (let choice = 1; ; choice += 1) {
    const actual = await bindServer(app.server, '127.0.0.1', port)
    const second = createHttpServer((request, response) => app.routing(request, response))
    try {
      await bindServer(second, '::1', actual)
      return { port: actual, second, isSecondTaken: false }
    } catch (error) {
      if (port === 0 && error instanceof PortTakenError && choice < PORT_CHOICES) {
        await new Promise((resolve) => app.server.close(resolve))
        continue
      }
      // Where it is missing, callers of `localhost` are not sent there.
      if (!isMissingAddress(error)) {
        log.warn({ err: error, port: actual }, 'cannot listen on [::1]; only 127.0.0.1 is served')
      }
      return { port: actual, second: undefined, isSecondTaken: error instanceof PortTakenError && !error.isRefused }
    }
  }
}

/**
 * The system resets connections that it has accepted and the server has not, once the server closes. So it closes at a moment without such.
 * Until then it reads nothing of new connections: callers who are answered, and connect again, would always have more.
 */
const acceptNoMore = async (servers: readonly Server[]): Promise<void> => {
  const held = new Set<Socket>()
  const hold = (socket: Socket): void => {
    held.add(socket)
    // Node's HTTP server has begun to read, and goes on in its own tick.
    process.nextTick(() => socket.pause())
  }
  for (const server of servers) server.on('connection', hold)
  await untilQuiet(servers, 'connection')
  for (const server of servers) {
    // Of Node's HTTP servers, `close` would also close idle connections.
    NetServer.prototype.close.call(server)
    server.off('connection', hold)
  }
  for (const socket of held) socket.resume()
}

/** Until none of these comes. */
const untilQuiet = async (servers: readonly Server[], event: 'connection' | 'request'): Promise<void> => {
  let isQuiet = false
  const note = (): void => void (isQuiet = false)
  for (const server of servers) server.on(event, note)
  const endsAt = performance.now() + ACCEPT_MS
  while (!isQuiet && performance.now() < endsAt) {
    isQuiet = true
    // Between the two, the event loop takes what has come: it accepts connections, and reads requests.
    for (let turn = 0; turn < 2; turn += 1) await new Promise((resolve) => setImmediate(resolve))
  }
  for (const server of servers) server.off(event, note)
}

type Requests = {
  /** Tells callers whose requests are under way, and later ones, to send no more on their connections. */
  closeAfterAnswer(): void
  /** Waits until each new connection has brought a request, or is closed, up to a limit. */
  heard(): Promise<void>
  /** Waits until nobody is connected, up to a limit. */
  left(limitMs: number): Promise<void>
  /** Waits for the end of all requests, up to a limit. */
  drained(limitMs: number): Promise<void>
  /** Answers those that have no answer yet. What they asked for may still be done. */
  refuseLeft(error: ApiError): void
}

const watchRequests = (servers: readonly Server[]): Requests => {
  const connected = createPresent<Socket>()
  const underWay = createPresent<ServerResponse>()
  const silent = createPresent<Socket>()
  const connectedAt = new WeakMap<Socket, number>()
  let isClosing = false
  const closeAfter = (response: ServerResponse): void => void (response.shouldKeepAlive = false)
  for (const server of servers) {
    server.on('connection', connected.add).on('connection', (socket: Socket) => {
      silent.add(socket)
      connectedAt.set(socket, performance.now())
    })
    server.prependListener('request', ({ socket }: IncomingMessage, response: ServerResponse) => {
      silent.remove(socket)
      underWay.add(response)
      if (isClosing) closeAfter(response)
    })
  }
  return {
    closeAfterAnswer: () => {
      isClosing = true
      underWay.all.forEach(closeAfter)
    },
    refuseLeft: ({ status, code, message, headers }) => {
      for (const response of underWay.all) {
        if (response.headersSent) continue
        for (const name of response.getHeaderNames()) response.removeHeader(name)
        const body = errorJson(code, message)
        const length = { 'content-length': Buffer.byteLength(body) }
        response.writeHead(status, { ...API_HEADERS, ...headers, ...length }).end(body)
      }
    },
    heard: () => {
      const newSince = performance.now() - FIRST_REQUEST_MS
      for (const one of silent.all) if ((connectedAt.get(one) ?? 0) < newSince) silent.remove(one)
      return silent.gone(FIRST_REQUEST_MS)
    },
    left: connected.gone,
    drained: underWay.gone,
  }
}

type Present<Closing> = {
  readonly all: ReadonlySet<Closing>
  readonly add: (one: Closing) => void
  readonly remove: (one: Closing) => void
  /** Waits until all are closed or removed, up to a limit. */
  readonly gone: (limitMs: number) => Promise<void>
}

const createPresent = <Closing extends Socket | ServerResponse>(): Present<Closing> => {
  const all = new Set<Closing>()
  let onEmpty: (() => void) | undefined
  const remove = (one: Closing): void => {
    if (all.delete(one) && all.size === 0) onEmpty?.()
  }
  return {
    all,
    add: (one) => {
      all.add(one)
      one.once('close', () => remove(one))
    },
    remove,
    gone: (limitMs) =>
      all.size === 0
        ? Promise.resolve()
        : new Promise((resolve) => {
            const timer = setTimeout(resolve, limitMs)
            onEmpty = () => {
              clearTimeout(timer)
              resolve()
            }
          }),
  }
}
