// Ports for processes that cannot choose their own: those that this system gave last time, where they are still free.

import { createServer } from 'node:net'

const HOST = '127.0.0.1'

/** As many free ports as there are `wanted` ones; each wanted one that is free, and 0 asks for any. */
export const freePorts = async (wanted: readonly number[]): Promise<readonly number[]> => {
  const servers: { readonly port: number; close(): Promise<void> }[] = []
  try {
    for (const port of wanted) servers.push((await hold(port)) ?? (await hold(0))!)
    return servers.map(({ port }) => port)
  } finally {
    await Promise.all(servers.map((server) => server.close()))
  }
}

/** `undefined`: the port is taken. */
const hold = (port: number): Promise<{ readonly port: number; close(): Promise<void> } | undefined> =>
  new Promise((resolve, reject) => {
    const server = createServer()
    server.once('error', (error: NodeJS.ErrnoException) => {
      if (port !== 0 && (error.code === 'EADDRINUSE' || error.code === 'EACCES')) resolve(undefined)
      else reject(error)
    })
    server.listen({ host: HOST, port, exclusive: true }, () => {
      const address = server.address()
      resolve({
        port: typeof address === 'object' && address !== null ? address.port : port,
        close: () => new Promise((closed) => server.close(() => closed())),
      })
    })
  })
