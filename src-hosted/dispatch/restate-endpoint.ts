// Where Restate reaches a worker: an HTTP/2 server with one handler for each of our objects.

import { createServer, type ServerHttp2Session } from 'node:http2'
import type { Socket } from 'node:net'
import { createEndpointHandler, type LoggerTransport } from '@restatedev/restate-sdk'
import type { Logger } from 'pino'
import { bindServer } from '../../src-runtime/shared/bind-server.ts'
import type { Work } from './dispatcher.ts'
import { HANDLERS_VERSION, restateObjects } from './restate-objects.ts'

export type RestateEndpoint = {
  readonly port: number
  /** The path of its address on this worker. */
  readonly path: string
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
  const server = createServer(
    createEndpointHandler({
      services: restateObjects(work),
      logger: logTo(log, () => isStopping),
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
  let stopped: Promise<void> | undefined
  const stop = async (limitMs: number, drain?: () => Promise<void>): Promise<void> => {
    isStopping = true
    await drain?.()
    const closed = new Promise<void>((resolve) => server.close(() => resolve()))
    for (const session of sessions) session.close() // ends once its requests have
    const late = setTimeout(() => {
      // A session that was closed would wait until the other side closes the connection too.
      for (const socket of sockets) socket.destroy()
    }, limitMs)
    await closed
    clearTimeout(late)
  }
  return { port: bound, path: `/v${HANDLERS_VERSION}`, stop: (limitMs, drain) => (stopped ??= stop(limitMs, drain)) }
}

/** Restate gives up all handlers of a connection at once. */
const DROPS_TOGETHER_MS = 1_000

/**
 * A handler that fails is called again, so its failure is a warning, and not even that while this worker stops. So is a request that is
 * refused, such as one whose signature is wrong. Of handlers that Restate gives up, there is one line. The SDK's other lines that belong
 * to no handler come at each start, and are not worth one.
 */
const logTo = (log: Logger, isStopping: () => boolean): LoggerTransport => {
  const dropped = new Set<string>()
  const logDropped = (): void => {
    log.warn({ handlers: dropped.size }, 'Restate has given up handlers that it had called here, and calls them again')
    dropped.clear()
  }
  return ({ level, context }, ...message) => {
    const parts = message.map((part) => (part instanceof Error ? (part.stack ?? part.message) : String(part)))
    const entry = { handler: context?.invocationTarget, invocationId: context?.invocationId }
    const isFailure = (level === 'error' || (level === 'warn' && context !== undefined)) && !isStopping()
    const isDropped = isFailure && context?.request?.attemptCompletedSignal.aborted === true
    if (isFailure && !isDropped) return log.warn(entry, parts.join(' '))
    log.debug(entry, parts.join(' '))
    if (!isDropped) return
    if (dropped.size === 0) setTimeout(logDropped, DROPS_TOGETHER_MS).unref()
    dropped.add(context.invocationId)
  }
}
