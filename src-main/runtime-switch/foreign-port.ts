// Describes why the port cannot be had, and finds a free port.

import { createServer } from 'node:net'
import { findPortHolder } from '../../src-runtime/identity/port-holder.ts'
import { isRefusedPort } from '../../src-runtime/shared/refused-ports.ts'
import { askPort } from '../../src-runtime/identity/ask-port.ts'
import type { ForeignRuntime } from '../preload/desktop-api.ts'
import type { Foreign } from './switch-machine.ts'

const PORTS_TRIED = 100
const HIGHEST_PORT = 65_535

export const describeForeignPort = async ({
  port,
  isRefused,
}: {
  readonly port: number
  readonly isRefused: boolean
}): Promise<Foreign> => {
  const [holder, suggestedPort, runtime] = await Promise.all([
    findPortHolder(port),
    freePortAfter(port),
    askForRuntime(port),
  ])
  return {
    kind: 'foreign',
    port,
    holder: holder === undefined ? null : { name: holder.command, pid: holder.pid },
    isReserved: isRefused && holder === undefined,
    runtime: runtime ?? null,
    suggestedPort,
    environmentLine: environmentLine(suggestedPort),
  }
}

const ANSWER_LIMIT_MS = 1_500
const LONGEST_TEXT = 500

/** Believes what it says, because it is only shown. Another program gets one request, for `/healthz`. */
const askForRuntime = async (port: number): Promise<ForeignRuntime | undefined> => {
  const health = await askPort(port, '/healthz', ANSWER_LIMIT_MS)
  if (textIn(health, 'service') !== 'workflow-execution-service' || textIn(health, 'mode') !== 'local') return undefined
  const [status, source] = await Promise.all(
    ['/v1/runtime', '/v1/source'].map((path) => askPort(port, path, ANSWER_LIMIT_MS)),
  )
  const dataDirectory = textIn(status, 'dataDir')
  const folder = textIn(source, 'folder')
  // Without a project, a runtime uses its data directory as the project.
  return { version: textIn(health, 'version'), dataDirectory, projectFolder: folder === dataDirectory ? null : folder }
}

const textIn = (answer: unknown, name: string): string | null => {
  const value = ((answer ?? {}) as Readonly<Record<string, unknown>>)[name]
  return typeof value === 'string' && value.length <= LONGEST_TEXT ? value : null
}

export const environmentLine = (port: number): string => `SERVICE_RUNTIME_URL=http://localhost:${port}`

/** The next port that clients can reach and that is free on both loopback addresses; a close number is easy to remember. */
export const freePortAfter = async (port: number): Promise<number> => {
  for (let next = port + 1; next <= Math.min(port + PORTS_TRIED, HIGHEST_PORT); next += 1) {
    if (!isRefusedPort(next) && (await isFree(next, '127.0.0.1')) && (await isFree(next, '::1'))) return next
  }
  return anyPort()
}

const isFree = (port: number, host: string): Promise<boolean> =>
  new Promise((resolve) => {
    const server = createServer()
    // Without ::1, no process can use a port there.
    server.once('error', (error: NodeJS.ErrnoException) => resolve(error.code === 'EADDRNOTAVAIL'))
    server.listen({ port, host, exclusive: true }, () => server.close(() => resolve(true)))
  })

const anyPort = (): Promise<number> =>
  new Promise((resolve, reject) => {
    const server = createServer()
    server.once('error', reject)
    server.listen({ port: 0, host: '127.0.0.1', exclusive: true }, () => {
      const address = server.address()
      server.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0))
    })
  })
