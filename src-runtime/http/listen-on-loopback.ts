// Binds the addresses that a server accepts connections at: both loopback addresses separately, so that another process
// cannot hold one of them unnoticed, or another host's.

import type { Server, ServerResponse } from 'node:http'
import type { FastifyInstance } from 'fastify'
import type { Logger } from 'pino'
import { bindServer } from '../shared/bind-server.ts'
import { PortTakenError } from '../shared/runtime.ts'
import { createHttpServer } from './create-server.ts'

export type Listening = {
  readonly port: number
  /** Where browsers certainly reach this server: another process may hold the other address of `localhost`. */
  readonly pageHost: 'localhost' | '127.0.0.1'
  /** Accepts no more connections, answers held requests, waits for running ones, closes. May be called twice. */
  stop(): Promise<void>
}

/** How long requests that are under way may take to end when the runtime stops. */
const DRAIN_MS = 2_000
/** Another process may hold the system's choice for 127.0.0.1 on ::1. */
const PORT_CHOICES = 10

export const listenOnLoopback = (app: FastifyInstance, port: number, log: Logger): Promise<Listening> =>
  listenOn(app, { host: 'localhost', port }, log)

/** `localhost` stands for both loopback addresses. */
export const listenOn = async (
  app: FastifyInstance,
  { host, port }: { readonly host: string; readonly port: number },
  log: Logger,
): Promise<Listening> => {
  await app.ready()
  const bound =
    host === 'localhost'
      ? await bindLoopback(app, port, log)
      : { port: await bindServer(app.server, host, port), second: undefined, isSecondTaken: false }
  const servers = bound.second === undefined ? [app.server] : [app.server, bound.second]
  const drained = watchRequests(servers)
  let stopped: Promise<void> | undefined
  const stop = async () => {
    for (const server of servers) server.close()
    await app.close()
    await drained(DRAIN_MS)
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
      log.warn({ err: error, port: actual }, 'cannot listen on [::1]; only 127.0.0.1 is served')
      return { port: actual, second: undefined, isSecondTaken: error instanceof PortTakenError && !error.isRefused }
    }
  }
}

/** Counts running requests. The returned function waits for their end, up to a limit. */
const watchRequests = (servers: readonly Server[]): ((limitMs: number) => Promise<void>) => {
  let underWay = 0
  let onEmpty: (() => void) | undefined
  for (const server of servers) {
    server.on('request', (_request, response: ServerResponse) => {
      underWay += 1
      response.once('close', () => {
        underWay -= 1
        if (underWay === 0) onEmpty?.()
      })
    })
  }
  return (limitMs) =>
    underWay === 0
      ? Promise.resolve()
      : new Promise((resolve) => {
          const timer = setTimeout(resolve, limitMs)
          onEmpty = () => {
            clearTimeout(timer)
            resolve()
          }
        })
}
