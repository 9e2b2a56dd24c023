/* oxlint-disable typescript/no-require-imports -- a sandboxed preload is CommonJS */

const { contextBridge, ipcRenderer } = require('electron')

const denied = []
for (const name of ['node:fs', 'node:child_process']) {
  try {
    require(name)
  } catch (error) {
    denied.push(error.message)
  }
}

contextBridge.exposeInMainWorld('fixture', {
  platform: process.platform,
  arguments: process.argv.filter((one) => one.startsWith('--fixture')),
  denied,
  add: (a, b) => ipcRenderer.invoke('add', a, b),
  unknown: () => ipcRenderer.invoke('nobody handles this'),
  note: (what) => ipcRenderer.send('note', what),
  upper: (text) => text.toUpperCase(),
  throws: () => {
    throw Object.assign(new RangeError('too far'), { code: 7 })
  },
  // oxlint-disable-next-line typescript/prefer-promise-reject-errors -- what becomes of it is the question
  rejects: () => Promise.reject({ code: 'refused', message: 'not today' }),
  twice: (listener) => listener(listener(1)),
  onPong(listener) {
    const heard = (_event, value) => listener(value)
    ipcRenderer.on('pong', heard)
    return () => ipcRenderer.off('pong', heard)
  },
})
