import type { AddressInfo, Server } from 'node:net'
import { PortTakenError } from './runtime.ts'

/**
 * Connections that wait until this process takes them, at most what the system allows. One more tries again after a second, and then less
 * and less often, such as when thousands of clients come back to a process that has just started.
 */
const MOST_WAITING = 4_096

/** Resolves to the port, which the system chooses for 0. Rejects with a PortTakenError if another process holds it, or the system refuses it. */
export const bindServer = (server: Server, host: string, port: number): Promise<number> =>
  new Promise((resolve, reject) => {
    const fail = (error: NodeJS.ErrnoException): void => {
      server.off('listening', succeed)
      reject(
        error.code === 'EADDRINUSE' || error.code === 'EACCES'
          ? new PortTakenError(port, error.code === 'EACCES')
          : error,
      )
    }
    const succeed = (): void => {
      server.off('error', fail)
      resolve((server.address() as AddressInfo).port)
    }
    server.once('error', fail).once('listening', succeed)
    server.listen({ host, port, exclusive: true, ipv6Only: host === '::1', backlog: MOST_WAITING })
  })

/** Whether this computer has no such address, as [::1] in many containers: no process can listen there then. */
export const isMissingAddress = (error: unknown): boolean =>
  ['EADDRNOTAVAIL', 'EAFNOSUPPORT'].includes((error as NodeJS.ErrnoException).code ?? '')
