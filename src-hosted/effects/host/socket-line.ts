// The channel of an isolated host: lines of JSON on descriptor 3. Node's own channel between processes is not used,
// because its messages can make the receiving process take over handles, or end it.

import { Socket } from 'node:net'
import type { Line, OpenLine } from '../../../src-runtime/effects/host/channel.ts'
import type { FromHost, ToHost } from '../../../src-runtime/effects/messages.ts'
import { readLines } from '../isolation/read-lines.ts'
import { joinLogs } from './join-logs.ts'
import type { StartMessage } from './start-message.ts'

const CHANNEL = 3

/** `onStart` is called once, before any other message is passed on. */
export const openSocketLine =
  (onStart: (message: StartMessage) => void): OpenLine =>
  (onBatch, onClosed): Line => {
    const socket = new Socket({ fd: CHANNEL })
    let hasStarted = false
    socket.on('error', onClosed).on('close', onClosed)
    const onMessage = (value: object): void => {
      if (hasStarted) return onBatch([value as ToHost])
      hasStarted = true
      onStart(value as StartMessage)
    }
    // The worker sends what fits in a deploy, and is trusted.
    readLines(socket, onMessage, onClosed, Infinity)

    /** What waits while the worker reads no more, so that it becomes fewer messages. */
    let waiting: FromHost[] = []
    let whenSent: (() => void)[] = []
    const write = (): void => {
      const [batch, sent] = [joinLogs(waiting), whenSent]
      waiting = []
      whenSent = []
      socket.write(batch.map((message) => `${JSON.stringify(message)}\n`).join(''), () => {
        for (const one of sent) one()
      })
    }
    socket.on('drain', () => {
      if (whenSent.length > 0) write()
    })
    return {
      send: (batch, sent) => {
        waiting.push(...batch)
        whenSent.push(sent)
        if (!socket.writableNeedDrain) write()
      },
    }
  }
