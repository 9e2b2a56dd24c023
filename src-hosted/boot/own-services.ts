// The PostgreSQL and the Restate of `wes serve` where none are named: in its data folder, on this machine alone, and started
// again when they end.

import { join } from 'node:path'
import type { Logger } from 'pino'
import { postgresOwnerUrl, startEmbeddedPostgres } from './embedded-postgres.ts'
import { keepRunning } from './keep-running.ts'
import { readPassword } from './postgres-folder.ts'
import { startRestateNode } from './restate-node.ts'
import { portsIn, type ServePorts } from './serve-folder.ts'

export type OwnServices = {
  readonly databaseOwnerUrl: string
  /** See EmbeddedPostgres. */
  readonly databaseSocketFolder?: string
  readonly restateIngressUrl: string
  readonly restateAdminUrl: string
  /** May be called twice. */
  stop(): Promise<void>
}

/** Within the data folder of `wes serve`. */
export const postgresFolderIn = (folder: string): string => join(folder, 'postgres')

/** Of the PostgreSQL that a service runs in this folder now, as its owner. */
export const runningDatabaseUrl = (folder: string): string | undefined => {
  const port = portsIn(folder)?.postgres
  return port === undefined ? undefined : postgresOwnerUrl(readPassword(postgresFolderIn(folder)), port)
}

export const startOwnServices = async (folder: string, ports: ServePorts, log: Logger): Promise<OwnServices> => {
  const { node, ingress, admin } = ports
  const starting = [
    keepRunning(
      'PostgreSQL',
      () => startEmbeddedPostgres({ folder: postgresFolderIn(folder), port: ports.postgres }),
      log,
    ),
    keepRunning(
      'Restate',
      () => startRestateNode({ folder: join(folder, 'restate'), ports: { node, ingress, admin } }),
      log,
    ),
  ] as const
  try {
    const [postgres, restate] = await Promise.all(starting)
    return {
      databaseOwnerUrl: postgres.first.ownerUrl,
      ...(postgres.first.socketFolder !== undefined && { databaseSocketFolder: postgres.first.socketFolder }),
      restateIngressUrl: restate.first.ingressUrl,
      restateAdminUrl: restate.first.adminUrl,
      stop: async () => {
        await Promise.all([postgres.stop(), restate.stop()])
      },
    }
  } catch (error) {
    for (const one of await Promise.allSettled(starting)) if (one.status === 'fulfilled') await one.value.stop()
    throw error
  }
}
