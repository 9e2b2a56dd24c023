// Runs first in a utility process: gives it Electron's `process.parentPort` in place of Node's own channel.

import { EventEmitter } from 'node:events'

const send = process.send!.bind(process)
const port = Object.assign(new EventEmitter(), {
  postMessage: (message: unknown) => void send(message),
})
// What came earlier waits for the first who listens.
port.on('newListener', (event) => {
  if (event !== 'message' || port.listenerCount('message') > 0) return
  process.on('message', (data) => port.emit('message', { data, ports: [] }))
})
// Like the real one it lives until it is told to end, or until its app is gone.
process.channel?.ref()
process.once('disconnect', () => process.exit())

Object.defineProperties(process, {
  parentPort: { value: port, enumerable: true },
  type: { value: 'utility', enumerable: true },
})
delete process.send
process.execArgv.length = 0
