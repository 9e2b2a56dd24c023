// The channel of an isolated host: lines of JSON on descriptor 3. Node's own channel between processes is not used,
// because its messages can make the receiving process take over handles, or end it.

import { Socket } from 'node:net'
import { createInterface } from 'node:readline'
import type { Line, OpenLine } from '../../../src-runtime/effects/host/channel.ts'
import type { ToHost } from '../../../src-runtime/effects/messages.ts'
import type { StartMessage } from './start-message.ts'

const CHANNEL = 3

/** `onStart` is called once, before any other message is passed on. */
export const openSocketLine =
  (onStart: (message: StartMessage) => void): OpenLine =>
  (onBatch, onClosed): Line => {
    const socket = new Socket({ fd: CHANNEL })
    let hasStarted = false
    socket.on('error', onClosed).on('close', onClosed)
    createInterface({ input: socket, crlfDelay: Infinity }).on('line', (line) => {
      const value: unknown = JSON.parse(line)
      if (hasStarted) return onBatch([value as ToHost])
      hasStarted = true
      onStart(value as StartMessage)
    })
    return {
      send: (batch, sent) => {
        socket.write(batch.map((message) => `${JSON.stringify(message)}\n`).join(''), () => sent())
      },
    }
  }
