// A host's line to the runtime, whichever kind of child process it is: Node's, or Electron's.

import type { FromHost } from './host-messages.ts'
import type { ToHost } from './protocol.ts'

export type HostChannel = {
  send(message: FromHost): void
  listen(receive: (message: ToHost) => void): void
}

/** What Electron adds to the process of a utility process. */
type ParentPort = {
  postMessage(message: unknown): void
  on(event: 'message', listener: (event: { readonly data: unknown }) => void): void
}

export const openHostChannel = (): HostChannel => {
  const { parentPort } = process as { readonly parentPort?: ParentPort }
  if (parentPort !== undefined) {
    return {
      send: (message) => parentPort.postMessage(message),
      listen: (receive) => parentPort.on('message', ({ data }) => receive(data as ToHost)),
    }
  }
  if (process.send === undefined) throw new Error('A program host is started by the runtime, not by hand')
  const send = process.send.bind(process)
  // Nobody else here has anything to say; and without the runtime there is nothing left to do.
  process.on('disconnect', () => process.exit(0))
  return {
    send: (message) => {
      send(message)
    },
    listen: (receive) => process.on('message', (message) => receive(message as ToHost)),
  }
}
