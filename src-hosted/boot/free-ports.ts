// Ports for processes that cannot choose their own: those that they had last time, where they are still free.

import { createServer } from 'node:net'

const HOST = '127.0.0.1'

/** No system takes ports of connections from this range, so that none is in the way when the process starts. */
const FIRST = 20_000
const COUNT = 12_000
const MOST_TRIED = 1_000

type Held = { readonly port: number; close(): Promise<void> }

/** As many free ports as there are `wanted` ones; each wanted one that is free, and 0 asks for any. */
export const freePorts = async (wanted: readonly number[]): Promise<readonly number[]> => {
  const held: Held[] = []
  try {
    for (const port of wanted) held.push((port === 0 ? undefined : await hold(port)) ?? (await holdAny()))
    return held.map(({ port }) => port)
  } finally {
    await Promise.all(held.map((one) => one.close()))
  }
}

const holdAny = async (): Promise<Held> => {
  for (let tried = 0; tried < MOST_TRIED; tried += 1) {
    const held = await hold(FIRST + Math.floor(Math.random() * COUNT))
    if (held !== undefined) return held
  }
  throw new Error(`there is no free port between ${FIRST} and ${FIRST + COUNT - 1}`)
}

/** `undefined`: the port is taken. */
const hold = (port: number): Promise<Held | undefined> =>
  new Promise((resolve, reject) => {
    const server = createServer()
    server.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EADDRINUSE' || error.code === 'EACCES') resolve(undefined)
      else reject(error)
    })
    server.listen({ host: HOST, port, exclusive: true }, () =>
      resolve({ port, close: () => new Promise((closed) => server.close(() => closed())) }),
    )
  })
