// Describes why the port cannot be had, and tells which ports are free.

import { createServer } from 'node:net'
import { findPortUser } from '../../src-runtime/identity/port-user.ts'
import { isMissingAddress } from '../../src-runtime/shared/bind-server.ts'
import { isRefusedPort } from '../../src-runtime/shared/refused-ports.ts'
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
  const [{ holder, runtime }, suggestedPort] = await Promise.all([findPortUser(port), freePortAfter(port)])
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

export const environmentLine = (port: number): string => `SERVICE_RUNTIME_URL=http://localhost:${port}`

/** The next port that clients can reach and that is free on both loopback addresses; a close number is easy to remember. */
export const freePortAfter = async (port: number): Promise<number> => {
  for (let next = port + 1; next <= Math.min(port + PORTS_TRIED, HIGHEST_PORT); next += 1) {
    if (!isRefusedPort(next) && (await isPortFree(next))) return next
  }
  return anyPort()
}

/** On both loopback addresses. Connects to nothing. */
export const isPortFree = async (port: number): Promise<boolean> =>
  (await isFree(port, '127.0.0.1')) && (await isFree(port, '::1'))

const isFree = (port: number, host: string): Promise<boolean> =>
  new Promise((resolve) => {
    const server = createServer()
    server.once('error', (error) => resolve(isMissingAddress(error)))
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
