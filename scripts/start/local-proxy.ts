// Lets the page of Vite's server reach the runtime under /local, as it does in every home: it calls its own origin only.

import type { ProxyOptions } from 'vite'

/** `runtime`: `http://localhost:PORT`. */
export const localProxy = (runtime: string): Readonly<Record<'/local', ProxyOptions>> => ({
  '/local': {
    target: runtime,
    changeOrigin: true,
    configure(proxy) {
      proxy.on('proxyReq', (toRuntime, request) => {
        // Only our own page may speak as one of the runtime's pages. What any other page sends keeps its origin, and is
        // refused there.
        const { origin, host } = request.headers
        if (origin !== undefined && origin === `http://${host}`) toRuntime.setHeader('origin', runtime)
      })
      // As a runtime answers that is about to stop; Vite would say 500, which is a fault.
      proxy.on('error', (_error, _request, response) => {
        if (!('writeHead' in response) || response.headersSent) return
        const error = { code: 'unavailable', message: 'The runtime does not answer.' }
        response.writeHead(503, { 'content-type': 'application/json', 'retry-after': '1' })
        response.end(JSON.stringify({ error }))
      })
    },
  },
})
