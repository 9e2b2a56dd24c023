// Runs first in a utility process: replaces Node's channel by Electron's `process.parentPort`.

import { EventEmitter } from 'node:events'

const send = process.send!.bind(process)
const port = Object.assign(new EventEmitter(), {
  postMessage: (message: unknown) => void send(message),
})
// Earlier messages wait for the first listener.
port.on('newListener', (event) => {
  if (event !== 'message' || port.listenerCount('message') > 0) return
  process.on('message', (data) => port.emit('message', { data, ports: [] }))
})
// Like the real one it runs until it is told to end, or its app has ended.
process.channel?.ref()
process.once('disconnect', () => process.exit())

Object.defineProperties(process, {
  parentPort: { value: port, enumerable: true },
  type: { value: 'utility', enumerable: true },
})
delete process.send
process.execArgv.length = 0
