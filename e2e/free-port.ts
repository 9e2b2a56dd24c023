// A port for a server that a test starts later, and perhaps again.

import { once } from 'node:events'
import { createServer } from 'node:net'

/** No system takes ports of connections from this range, so that none is in the way when the server starts. */
const FIRST = 20_000
const COUNT = 12_000
const MOST_TRIED = 100

export const freePort = async (): Promise<number> => {
  for (let tried = 0; tried < MOST_TRIED; tried += 1) {
    const port = FIRST + Math.floor(Math.random() * COUNT)
    if (await isFree(port)) return port
  }
  throw new Error('no port is free')
}

const isFree = async (port: number): Promise<boolean> => {
  const server = createServer()
  try {
    await once(server.listen(port), 'listening')
    server.close()
    await once(server, 'close')
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EADDRINUSE') return false
    throw error
  }
}
