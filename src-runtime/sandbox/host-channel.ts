// A host's message channel to the runtime, in a child process of Node or of Electron.

import { leaveSignalsToParent } from '../shared/leave-signals-to-parent.ts'
import { findParentPort } from '../shared/parent-port.ts'
import type { FromHost } from './host-messages.ts'
import { createPieceSender, joinPieces } from './pieces.ts'
import type { ToHost } from './protocol.ts'

export type HostChannel = {
  send(message: FromHost): void
  /** Sends it in pieces, so that what is sent meanwhile need not wait for all of it. */
  sendLarge(message: FromHost): void
  listen(receive: (message: ToHost) => void): void
}

export const openHostChannel = (): HostChannel => {
  const parentPort = findParentPort()
  if (parentPort !== undefined) {
    return {
      send: (message) => parentPort.postMessage(message),
      sendLarge: (message) => parentPort.postMessage(message),
      listen: (receive) => {
        const join = joinPieces((message) => receive(message as ToHost))
        parentPort.on('message', ({ data }) => join(data))
      },
    }
  }
  if (process.send === undefined) throw new Error('A program host is started by the runtime, not by hand')
  const send = process.send.bind(process)
  // Without the runtime there is nothing left to do.
  process.on('disconnect', () => process.exit(0))
  leaveSignalsToParent()
  return {
    send: (message) => {
      send(message)
    },
    sendLarge: createPieceSender((piece, sent) => send(piece, undefined, undefined, sent)),
    listen: (receive) =>
      process.on(
        'message',
        joinPieces((message) => receive(message as ToHost)),
      ),
  }
}
