// Processes of `wes serve` and `wes migrate` as they really run, on a PostgreSQL and a Restate of the test.

import { once } from 'node:events'
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'
import { createInterface } from 'node:readline'
import { startWes, wes, type WesRun } from '../../src-cli/wes.test-support.ts'

export type ServeProcess = {
  readonly pid: number
  /** What it printed: `ready`, `hooks` and `token`, with what follows each. */
  readonly printed: ReadonlyMap<string, string>
  stderr(): string
  /** Sends the signal, and answers the exit code once it has ended; null after SIGKILL. */
  end(signal: 'SIGTERM' | 'SIGKILL'): Promise<number | null>
}

/** The URL of another user, or of another database, of the same PostgreSQL. */
export const urlAs = (ownerUrl: string, user: string, database = 'postgres'): string => {
  const url = new URL(ownerUrl)
  url.username = user
  url.password = 'of-tests'
  url.pathname = `/${database}`
  return url.href
}

export type Environment = Readonly<Record<string, string>>

/** Settles once it is ready. Rejects with what it printed when it ends before. */
export const startServe = async (args: readonly string[], env: Environment, cwd?: string): Promise<ServeProcess> => {
  const child = startWes(['serve', ...args], { env, ...(cwd !== undefined && { cwd }) })
  let stderr = ''
  child.stderr!.setEncoding('utf8').on('data', (text: string) => (stderr += text))
  const exited = once(child, 'exit') as Promise<[number | null]>
  const printed = new Map<string, string>()
  const ready = new Promise<void>((resolve) => {
    createInterface(child.stdout!).on('line', (line) => {
      const [word = '', value = ''] = line.split(' ')
      printed.set(word, value)
      if (word === (args.some((arg) => /^(?:--role=)?ingress$/.test(arg)) ? 'hooks' : 'ready')) resolve()
    })
  })
  const endedEarly = exited.then(() => {
    throw new Error(`wes serve ${args.join(' ')} ended before it was ready: ${stderr}`)
  })
  await Promise.race([ready, endedEarly])
  endedEarly.catch(() => {})
  return {
    pid: child.pid!,
    printed,
    stderr: () => stderr,
    end: async (signal) => {
      child.kill(signal)
      return (await exited)[0]
    },
  }
}

export const migrate = (env: Environment, ...flags: readonly string[]): Promise<WesRun> =>
  wes(['migrate', ...flags], { env })

export type Balancer = { readonly port: number; close(): Promise<void> }

/** One address for several, as a Service of Kubernetes is: each connection goes to the next one that accepts it. */
export const startBalancer = async (ports: readonly number[]): Promise<Balancer> => {
  const open = new Set<Socket>()
  let turn = 0
  const server = createServer((incoming) => {
    open.add(incoming)
    incoming.on('close', () => open.delete(incoming)).on('error', () => {})
    const tryNext = (left: number): void => {
      if (left === 0) return void incoming.destroy()
      const outgoing = connect(ports[turn++ % ports.length]!, '127.0.0.1')
      const onRefused = (): void => tryNext(left - 1)
      outgoing.once('error', onRefused)
      outgoing.once('connect', () => {
        outgoing.off('error', onRefused).on('error', () => incoming.destroy())
        outgoing.on('close', () => incoming.destroy())
        incoming.on('close', () => outgoing.destroy())
        incoming.pipe(outgoing).pipe(incoming)
      })
    }
    tryNext(ports.length)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    close: async () => {
      for (const socket of open) socket.destroy()
      await new Promise<void>((resolve) => server.close(() => resolve()))
    },
  }
}

export type Link = { readonly url: string; cut(): void; mend(): void; close(): void }

/** Passes on what goes to PostgreSQL and comes from it. While it is cut, connections are made and stay, and nothing passes. */
export const startLink = async (databaseUrl: string): Promise<Link> => {
  const url = new URL(databaseUrl)
  const port = Number(url.port)
  const open = new Set<Socket>()
  let isCut = false
  const pass = (from: Socket, to: Socket): void => {
    open.add(from)
    from
      .on('error', () => {})
      .on('close', () => {
        open.delete(from)
        to.destroy()
      })
    from.on('data', (data) => to.write(data))
    if (isCut) from.pause()
  }
  const server = createServer((incoming) => {
    const outgoing = connect(port, '127.0.0.1')
    pass(incoming, outgoing)
    pass(outgoing, incoming)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  url.port = String((server.address() as AddressInfo).port)
  return {
    url: url.href,
    cut: () => {
      isCut = true
      for (const socket of open) socket.pause()
    },
    mend: () => {
      isCut = false
      for (const socket of open) socket.resume()
    },
    close: () => {
      for (const socket of open) socket.destroy()
      server.close()
    },
  }
}
