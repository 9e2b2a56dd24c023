// The worker's side of the egress process: starts it, starts it again when it dies or stands still, and opens sockets in it.

import { fork, type ChildProcess } from 'node:child_process'
import { extname, join } from 'node:path'
import type { Logger } from 'pino'
import { parseRanges } from './address-rules.ts'
import type { Authority } from './authority.ts'
import type { EgressSettings, FromEgress, ToEgress, WayOutOwner } from './egress-messages.ts'
import { LOOKUPS_AT_ONCE } from './lookups.ts'

export type Egress = {
  readonly pid: number
  /** Opens a way out on a Unix socket. */
  open(path: string, owner: WayOutOwner): Promise<void>
  close(path: string): Promise<void>
  /** Effects may connect to none of them, also where `--allow-egress` opens their addresses. */
  keepClosed(services: readonly Authority[]): void
  /** Ends the process and all connections. */
  stop(): Promise<void>
}

/** Beside this module, in the sources as in a bundle. */
const ENTRY = join(import.meta.dirname, `egress-main${extname(import.meta.filename)}`)
/** libuv lets `getaddrinfo` block half of its threads. The service looks its own hosts up too. */
const THREADS = String(2 * (LOOKUPS_AT_ONCE + 8))
const RESTART_AFTER_MS = 200
const REOPEN_AFTER_MS = 1_000
const ASK_EVERY_MS = 1_000
/** After so many questions in a row without an answer, it is killed: effects would wait until their own time is up. */
const MOST_UNANSWERED = 10

type Waiting = { readonly resolve: () => void; readonly reject: (error: Error) => void }

/** Rejects, with nothing left running, when the settings are wrong or the process does not start. */
export const startEgress = async (
  settings: EgressSettings,
  log: Logger,
  askEveryMs = ASK_EVERY_MS,
): Promise<Egress> => {
  parseRanges(settings.allow)
  const owners = new Map<string, WayOutOwner>()
  const opening = new Map<string, Waiting>()
  const closing = new Map<string, () => void>()
  let services: readonly Authority[] = []
  let child: ChildProcess | undefined
  /** Before, it does not know which addresses are the service's own. */
  let isReady = false
  let stopping = false
  let restarting: NodeJS.Timeout | undefined

  const send = (message: ToEgress): void => {
    // If sending fails, `exit` follows.
    if (child?.connected === true) child.send(message, () => undefined)
  }

  const sendServices = (): void => send({ kind: 'keep-closed', services })

  const failed = (path: string, why: string): void => {
    const error = `effects cannot connect to the network: ${why}`
    const waiting = opening.get(path)
    if (waiting !== undefined) {
      opening.delete(path)
      owners.delete(path)
      waiting.reject(new Error(error))
      return
    }
    // It was open in a process before this one, and effects still use it.
    const owner = owners.get(path)
    if (owner === undefined) return
    log.error({ effectsOf: owner.name }, error)
    const from = child
    setTimeout(() => {
      if (child === from && owners.has(path)) send({ kind: 'open', path, ...owner })
    }, REOPEN_AFTER_MS).unref()
  }

  const hear = (message: FromEgress): void => {
    switch (message.kind) {
      case 'ready':
        isReady = true
        for (const [path, owner] of owners) send({ kind: 'open', path, ...owner })
        return
      case 'answer':
        unanswered = 0
        return
      case 'opened':
        opening.get(message.path)?.resolve()
        opening.delete(message.path)
        return
      case 'failed':
        failed(message.path, message.message)
        return
      case 'closed':
        closing.get(message.path)?.()
        closing.delete(message.path)
        return
      case 'refused':
        log.warn({ effectsOf: message.name }, message.message)
    }
  }

  let unanswered = 0
  const ask = (): void => {
    // However late this process is itself: what has been answered is read before the next question.
    unanswered = isReady ? unanswered + 1 : 0
    send({ kind: 'ask' })
    if (unanswered <= MOST_UNANSWERED) return
    unanswered = 0
    log.error('the egress process does not answer; it is killed, and started again')
    child?.kill('SIGKILL')
  }
  const asking = setInterval(ask, askEveryMs).unref()

  const start = (): Promise<void> =>
    new Promise((resolve, reject) => {
      let isOver = false
      const ended = (why: string): void => {
        if (isOver) return
        isOver = true
        isReady = false
        reject(new Error(`the egress process ended: ${why}`))
        for (const done of closing.values()) done()
        closing.clear()
        if (stopping) return
        log.error({ why }, 'the egress process died')
        restarting = setTimeout(() => {
          // When it fails, its end starts the next one.
          if (!stopping) start().catch(() => undefined)
        }, RESTART_AFTER_MS)
      }
      try {
        child = fork(ENTRY, [], {
          env: { UV_THREADPOOL_SIZE: THREADS },
          execArgv: [],
          stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
        })
      } catch (error) {
        return ended(String(error))
      }
      const started = child
      started.on('message', (message: FromEgress) => {
        hear(message)
        if (message.kind === 'ready') resolve()
      })
      // A process that the system did not start has no exit.
      started.on('error', (error) => {
        if (started.pid === undefined) ended(error.message)
      })
      started.once('exit', (code, signal) => ended(signal ?? `exit code ${code}`))
      send({ kind: 'begin', settings })
      sendServices()
    })

  const stop = async (): Promise<void> => {
    stopping = true
    clearTimeout(restarting)
    clearInterval(asking)
    if (child?.pid === undefined || child.exitCode !== null || child.signalCode !== null) return
    const ended = new Promise((resolve) => child?.once('exit', resolve))
    child.kill('SIGKILL')
    await ended
  }

  try {
    await start()
  } catch (error) {
    await stop()
    throw error
  }
  return {
    get pid() {
      return child?.pid ?? 0
    },
    open: (path, owner) =>
      new Promise((resolve, reject) => {
        owners.set(path, owner)
        opening.set(path, { resolve, reject })
        if (isReady) send({ kind: 'open', path, ...owner })
      }),
    close: (path) =>
      new Promise((resolve) => {
        owners.delete(path)
        if (child?.connected !== true) return resolve()
        closing.set(path, resolve)
        send({ kind: 'close', path })
      }),
    keepClosed: (ones) => {
      services = ones
      sendServices()
    },
    stop,
  }
}
