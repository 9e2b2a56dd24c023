// The host's message channel to the runtime. It is hidden from the author's code, because a library that finds
// `process.send` may send messages of its own.

import { findParentPort } from '../../shared/parent-port.ts'
import type { FromHost, ToHost } from '../messages.ts'
import { setImmediate } from './built-ins.ts'

export type Channel = {
  /** Sends the message with all others of this turn of the event loop. */
  say(message: FromHost): void
  /** Sends the message now, in case the process dies soon; if used too often, like `say`. */
  sayPromptly(message: FromHost): void
  /** Sends all messages now, even if the event loop never runs again. */
  flush(): void
  /** Calls back when all messages have been sent. */
  drain(done: () => void): void
}

export type Line = {
  send(batch: readonly FromHost[], sent: () => void): void
}

export type OpenLine = (onBatch: (batch: readonly ToHost[]) => void, onClosed: () => void) => Line

export const openChannel = (
  listener: {
    readonly onBatch: (batch: readonly ToHost[]) => void
    /** The runtime is gone. */
    readonly onClosed: () => void
  },
  openLine: OpenLine = openProcessLine,
): Channel => {
  const line = openLine(listener.onBatch, listener.onClosed)
  let outbox: FromHost[] = []
  let turning: NodeJS.Immediate | undefined
  let promptly = 0

  const flush = (sent: () => void = () => undefined) => {
    const batch = outbox
    outbox = []
    line.send(batch, sent)
  }

  const endTurn = () => {
    turning = undefined
    promptly = 0
    if (outbox.length > 0) flush()
  }

  const say = (message: FromHost) => {
    outbox.push(message)
    turning ??= setImmediate(endTurn)
  }

  return {
    say,
    sayPromptly: (message) => {
      say(message)
      if (promptly >= PROMPTLY_PER_TURN) return
      promptly += 1
      flush()
    },
    flush: () => flush(),
    drain: (done) => flush(done),
  }
}

const PROMPTLY_PER_TURN = 10

const openProcessLine: OpenLine = (onBatch, onClosed) => {
  const parentPort = findParentPort()
  if (parentPort !== undefined) {
    parentPort.on('message', ({ data }) => onBatch(data as readonly ToHost[]))
    return {
      send: (batch, sent) => {
        parentPort.postMessage(batch)
        setImmediate(sent)
      },
    }
  }
  const send = process.send?.bind(process)
  if (send === undefined) throw new Error('an effect host is started by the runtime, not by hand')
  process.on('message', (batch) => onBatch(batch as readonly ToHost[]))
  // Only the channel keeps an idle host alive. While attempts run, the watchdog notices that the runtime is gone.
  process.once('beforeExit', onClosed)
  // Node calls `disconnect`, too, when the runtime is gone.
  Object.assign(process, { send: undefined, disconnect: () => undefined })
  return { send: (batch, sent) => void send(batch, undefined, undefined, sent) }
}
