// Vite's server with the dashboard's sources. It uses our own HTTP server, because Vite's would end the process at a
// signal while the runtime is still stopping.

import { once } from 'node:events'
import { createServer as createHttpServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { resolveConfig } from 'electron-vite'
import { createServer } from 'vite'
import { localProxy } from './local-proxy.ts'

export type DevServer = {
  readonly url: string
  close(): Promise<void>
}

const ROOT = join(import.meta.dirname, '../..')
const HOST = '127.0.0.1'
const USUAL_PORT = 5173

/** `runtime`: the URL that the page reaches at /local. */
export const startDevServer = async (runtime: string): Promise<DevServer> => {
  process.env['NODE_ENV_ELECTRON_VITE'] = 'development'
  const { config } = await resolveConfig({ root: ROOT, ignoreConfigWarning: true }, 'serve', 'development')
  const http = createHttpServer()
  const vite = await createServer({
    ...config?.renderer,
    server: {
      ...config?.renderer?.server,
      middlewareMode: { server: http },
      hmr: { server: http },
      proxy: localProxy(runtime),
    },
  })
  http.on('request', vite.middlewares)
  return {
    // Not `localhost`: another process may hold its other address.
    url: `http://${HOST}:${await listen(http)}`,
    close: async () => {
      await vite.close()
      http.close()
      http.closeAllConnections()
    },
  }
}

/** Uses the usual port, or a free one. */
const listen = async (http: Server): Promise<number> => {
  for (const port of [USUAL_PORT, 0]) {
    try {
      http.listen(port, HOST)
      await once(http, 'listening')
      return (http.address() as AddressInfo).port
    } catch (error) {
      if (port === 0 || !(error instanceof Error && 'code' in error && error.code === 'EADDRINUSE')) throw error
    }
  }
  throw new Error('no port is free')
}
