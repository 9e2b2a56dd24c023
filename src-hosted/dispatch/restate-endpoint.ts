// Where Restate reaches a worker: an HTTP/2 server with one handler for each of our objects.

import { createServer, type ServerHttp2Session } from 'node:http2'
import type { Socket } from 'node:net'
import { createEndpointHandler, type LoggerTransport } from '@restatedev/restate-sdk'
import type { Logger } from 'pino'
import { bindServer } from '../../src-runtime/shared/bind-server.ts'
import { createFaultLevels } from '../../src-runtime/shared/fault-levels.ts'
import type { Work } from './dispatcher.ts'
import { HANDLERS_VERSION, restateObjects } from './restate-objects.ts'

export type RestateEndpoint = {
  readonly port: number
  /** The path of its address on this worker. */
  readonly path: string
  /** Nobody can connect: it left, and has not come back. */
  readonly isAway: boolean
  /** Closes the port and all connections, as if this process had ended: Restate and other workers go elsewhere. */
  leave(): Promise<void>
  /** Takes work again, at the same port. Rejects with a PortTakenError while another process has it. */
  comeBack(): Promise<void>
  /**
   * Waits for `drain`, takes no new work, waits for what is running up to the limit, closes. Work that fails meanwhile is
   * done elsewhere. May be called twice.
   */
  stop(limitMs: number, drain?: () => Promise<void>): Promise<void>
}

export const startRestateEndpoint = async (options: {
  readonly host: string
  readonly port: number
  readonly work: Work
  /** Restate's public keys; a request that none of them signed is refused. Without keys, all requests are accepted. */
  readonly identityKeys: readonly string[]
  readonly log: Logger
}): Promise<RestateEndpoint> => {
  const { host, port, work, identityKeys, log } = options
  let isStopping = false
  let isAway = false
  const server = createServer(
    createEndpointHandler({
      services: restateObjects(work),
      logger: logTo(log, () => isStopping || isAway),
      ...(identityKeys.length > 0 && { identityKeys: [...identityKeys] }),
    }),
  )
  const sessions = new Set<ServerHttp2Session>()
  server.on('session', (session) => {
    sessions.add(session)
    session.once('close', () => sessions.delete(session))
  })
  const sockets = new Set<Socket>()
  server.on('connection', (socket: Socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  })
  const bound = await bindServer(server, host, port)
  const close = (): Promise<void> => new Promise((resolve) => server.close(() => resolve()))
  const leave = async (): Promise<void> => {
    isAway = true
    const closed = close()
    for (const socket of sockets) socket.destroy()
    await closed
  }
  const comeBack = async (): Promise<void> => {
    await bindServer(server, host, bound)
    isAway = false
  }
  let stopped: Promise<void> | undefined
  const stop = async (limitMs: number, drain?: () => Promise<void>): Promise<void> => {
    isStopping = true
    await drain?.()
    const closed = close()
    for (const session of sessions) session.close() // ends once its requests have
    const late = setTimeout(() => {
      // A session that was closed would wait until the other side closes the connection too.
      for (const socket of sockets) socket.destroy()
    }, limitMs)
    await closed
    clearTimeout(late)
  }
  return {
    port: bound,
    path: `/v${HANDLERS_VERSION}`,
    get isAway() {
      return isAway
    },
    leave,
    comeBack,
    stop: (limitMs, drain) => (stopped ??= stop(limitMs, drain)),
  }
}

/** Restate gives up all handlers of a connection at once, and sends what is refused again and again. */
const TOGETHER_MS = 1_000
const GIVEN_UP = 'Restate has given up handlers that it had called here, and calls them again'
/** What the SDK logs once more of a step that has failed, after the failure itself. Another code is a fault of its own, said once. */
const SAID_BEFORE = /RestateError: \(500\) [^]*\nRelated command: run/

/**
 * A handler that fails is called again, so its failure is a warning, and not even that while this worker stops or is away. So is a request that is
 * refused, such as one whose signature is wrong. There is one line a second for all that are refused, and for all handlers that
 * Restate gives up, and one a minute while the store cannot be reached: thousands of handlers fail then, each every 2 s. The SDK's other
 * lines that belong to no handler come at each start, and are not worth one.
 */
const logTo = (log: Logger, isClosed: () => boolean): LoggerTransport => {
  const levelOf = createFaultLevels()
  const together = new Map<string, Set<unknown>>()
  const warnTogether = (text: string, one: unknown): void => {
    const known = together.get(text)
    if (known !== undefined) return void known.add(one)
    const all = new Set([one])
    together.set(text, all)
    const warn = (): void => {
      together.delete(text)
      log.warn({ count: all.size }, text)
    }
    setTimeout(warn, TOGETHER_MS).unref()
  }
  return ({ level, context }, ...message) => {
    const text = message.map((part) => (part instanceof Error ? (part.stack ?? part.message) : String(part))).join(' ')
    const entry = { handler: context?.invocationTarget, invocationId: context?.invocationId }
    const isFailure = (level === 'error' || (level === 'warn' && context !== undefined)) && !isClosed()
    const isGivenUp = context?.request?.attemptCompletedSignal.aborted === true
    if (isFailure && context !== undefined && !isGivenUp) {
      const error = message.find((part) => part instanceof Error)
      return log[SAID_BEFORE.test(text) ? 'debug' : levelOf(error, 'warn')](entry, text)
    }
    log.debug(entry, text)
    if (isFailure) warnTogether(isGivenUp ? GIVEN_UP : text, context?.invocationId ?? {})
  }
}
