// The PostgreSQL and the Restate that a process uses: named ones, or its own in its data folder.

import { randomBytes } from 'node:crypto'
import type { Logger } from 'pino'
import { pause } from '../../src-runtime/shared/pause.ts'
import { startOwnServices, type OwnServices } from '../boot/own-services.ts'
import {
  choosePorts,
  isCopy,
  noteOriginal,
  openServeFolder,
  writeOwner,
  type ServeFolder,
} from '../boot/serve-folder.ts'
import type { HostedOptions, NamedServices } from '../shared/hosted-options.ts'
import { databaseServer } from '../store/database.ts'
import { migrateDatabase } from '../store/migrate.ts'
import type { Base } from './base.ts'

export type Services = NamedServices & {
  /** Of the worker, at which it was before. */
  readonly workerPort?: number
  /** Of each Restate node for the others. */
  readonly restateNodePort: number
  /** They belong to this process: nobody else works for them. */
  readonly areOwn: boolean
  /** In a folder of its own: tells who else wants it where the API is. */
  readonly noteUrl: (url: string) => void
}

const START_TRIES = 3
const START_PAUSE_MS = 1_000
/** Restate's own, unless it is told another one. */
const RESTATE_NODE_PORT = 5122
/** The host of a PostgreSQL and a Restate of its own. */
const OWN_SERVICES = 'http://127.0.0.1'

/** Throws when another process owns it. */
export const ownFolder = ({ dataDir }: HostedOptions, onStop: Base['onStop']): ServeFolder => {
  const folder = openServeFolder(dataDir)
  onStop(folder.release)
  return folder
}

/** `given`: those to be used, or the folder of those that are started. */
export const findServices = async (
  given: NamedServices | ServeFolder,
  log: Logger,
  onStop: Base['onStop'],
): Promise<Services> => {
  if ('databaseUrl' in given) return { ...given, restateNodePort: RESTATE_NODE_PORT, areOwn: false, noteUrl: () => {} }
  const folder = given
  const { ports, own } = await startOwn(folder.path, log)
  onStop(own.stop)
  return {
    databaseUrl: await migrateOwn(folder, own),
    restateUrls: [own.restateIngressUrl],
    restateAdminUrls: [own.restateAdminUrl],
    restateNodePort: ports.node,
    workerPort: ports.worker,
    areOwn: true,
    noteUrl: (url) => writeOwner(folder.path, url),
  }
}

/** A port that was free when it was chosen may be taken by the time its server listens; then another one is chosen. */
const startOwn = async (folder: string, log: Logger) => {
  for (let tries = 1; ; tries += 1) {
    const ports = await choosePorts(folder)
    try {
      return { ports, own: await startOwnServices(folder, ports, log) }
    } catch (error) {
      if (tries === START_TRIES) throw error
      log.warn({ err: error }, 'PostgreSQL or Restate did not start; they are started again')
      await pause(START_PAUSE_MS)
    }
  }
}

/** Answers the URL of a user who may do no more than the service needs; with a new password each time. */
const migrateOwn = async (
  { path }: ServeFolder,
  { databaseOwnerUrl: ownerUrl, databaseSocketFolder: socketFolder }: OwnServices,
): Promise<string> => {
  const login = { user: 'wes_server', password: randomBytes(24).toString('base64url') }
  const isRestored = isCopy(path)
  await migrateDatabase({ ownerUrl, login, isRestored })
  if (isRestored) noteOriginal(path)
  const url = new URL(ownerUrl)
  url.username = login.user
  url.password = login.password
  if (socketFolder !== undefined) url.searchParams.set('host', socketFolder)
  return url.href
}

/** Effects may connect to none of them, unless `--allow-egress` opens their addresses. */
export const ownHosts = ({ services, api, hooks, worker, tracing }: HostedOptions): readonly string[] => {
  const used = services && [databaseServer(services.databaseUrl), ...services.restateUrls, ...services.restateAdminUrls]
  const urls = [...(used ?? [OWN_SERVICES]), api.publicUrl, hooks.publicUrl, worker.url, tracing?.collectorUrl]
  return [...new Set(urls.flatMap((url) => (url === undefined ? [] : [new URL(url).hostname])))]
}

/** URLs: effects may connect to none of them, also where `--allow-egress` opens their addresses. */
export const ownServices = ({ worker, metrics, tracing }: HostedOptions, services: Services): readonly string[] => {
  const { databaseUrl, restateUrls, restateAdminUrls, restateNodePort } = services
  const urls = [databaseServer(databaseUrl), ...restateUrls, ...restateAdminUrls, worker.url, tracing?.collectorUrl]
  const nodes = restateUrls.map((url) => `http://${new URL(url).hostname}:${restateNodePort}`)
  const here = [services.workerPort ?? worker.port, ...(metrics === undefined ? [] : [metrics.port])]
  return [...urls.filter((url) => url !== undefined), ...nodes, ...here.map((port) => `http://127.0.0.1:${port}`)]
}
