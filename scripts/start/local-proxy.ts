// Forwards /local and /hosted from Vite's server to the runtime, because the page calls only its own origin.

import type { ProxyOptions } from 'vite'

/** `runtime`: `http://localhost:PORT`. */
export const localProxy = (runtime: string): Readonly<Record<'/local' | '/hosted', ProxyOptions>> => {
  // The address that every runtime listens at: another process may hold the other one of `localhost`.
  const toRuntime = proxyTo(runtime.replace('//localhost:', '//127.0.0.1:'))
  return { '/local': toRuntime, '/hosted': toRuntime }
}

const proxyTo = (runtime: string): ProxyOptions => ({
  target: runtime,
  changeOrigin: true,
  configure(proxy) {
    proxy.on('proxyReq', (toRuntime, request) => {
      // Only our own page may use the runtime's origin. Requests of other pages keep theirs, and the runtime refuses
      // them.
      const { origin, host } = request.headers
      if (origin !== undefined && origin === `http://${host}`) toRuntime.setHeader('origin', runtime)
    })
    // The same answer as from a stopping runtime; Vite would answer 500.
    proxy.on('error', (_error, _request, response) => {
      if (!('writeHead' in response) || response.headersSent) return
      const error = { code: 'unavailable', message: 'The runtime does not answer.' }
      response.writeHead(503, { 'content-type': 'application/json', 'retry-after': '1' })
      response.end(JSON.stringify({ error }))
    })
  },
})
