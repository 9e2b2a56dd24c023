// The composition root of the hosted service: makes the parts of its role and joins them. Any number of processes may share
// one PostgreSQL and one Restate.

import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import type { Logger } from 'pino'
import packageJson from '../package.json' with { type: 'json' }
import { noEffects } from '../src-runtime/effects/effect-performer.ts'
import { listenOn } from '../src-runtime/http/listen-on-loopback.ts'
import { systemClock } from '../src-runtime/shared/clock.ts'
import { untilAborted } from '../src-runtime/shared/fair-places.ts'
import { createIds } from '../src-runtime/shared/ids.ts'
import { pause } from '../src-runtime/shared/pause.ts'
import { stopAll, type Stop } from '../src-runtime/shared/stop-all.ts'
import { freePorts } from './boot/free-ports.ts'
import { startOwnServices, type OwnServices } from './boot/own-services.ts'
import { choosePorts, openServeFolder, writeOwner, type ServeFolder } from './boot/serve-folder.ts'
import { startFollowing } from './changes/start-following.ts'
import { holdWhileAway } from './dispatch/hold-while-away.ts'
import { keepRegistered, type Registered } from './dispatch/keep-registered.ts'
import { createRestateDeployments } from './dispatch/restate-deployments.ts'
import { createRestateDispatcher } from './dispatch/restate-dispatcher.ts'
import { checkKeys } from './environment/check-keys.ts'
import { checkLimited } from './limits/check-limited.ts'
import { readOrMakeKeyFile, SECRET_KEY_FILE } from './environment/secret-key-file.ts'
import { readSecretKeys } from './environment/secret-keys.ts'
import { measureStore } from './metrics/measure.ts'
import { noMetrics } from './metrics/metrics.ts'
import type { Sources } from './metrics/prometheus.ts'
import { startMetrics, type MetricsPort } from './metrics/start-metrics.ts'
import type { Base } from './roles/base.ts'
import { createApi } from './roles/create-api.ts'
import { createHooks } from './roles/create-hooks.ts'
import { spawnHostAhead, startComputing } from './roles/start-computing.ts'
import { prepareEffects, startEffects } from './roles/start-effects.ts'
import { startWorker } from './roles/start-worker.ts'
import { createWorkspacePorts } from './roles/workspace-ports.ts'
import type { HostedOptions, HostedRole, NamedServices } from './shared/hosted-options.ts'
import { databaseServer } from './store/database.ts'
import { migrateDatabase } from './store/migrate.ts'
import type { HostedStore } from './store/store.ts'
import { openHostedStore } from './store/open-hosted-store.ts'
import { traceStore } from './tracing/trace-parts.ts'
import { issueFirstToken } from './tokens/issue-token.ts'
import type { Tracing } from './tracing/tracing.ts'
import { startUpkeep } from './upkeep/start-upkeep.ts'

export type Hosted = {
  /** `http://localhost:PORT`; absent where this process serves no API, or no webhooks. */
  readonly url?: string
  readonly hooksUrl?: string
  /** Where this process is watched; absent without a port for it. */
  readonly metricsUrl?: string
  /** Of an admin of the first workspace, until somebody uses it or makes another one. */
  readonly token?: string
  /** Why effects wait here; absent: they run, or this process runs none. */
  readonly effectsWaitBecause?: string
  /** May be called twice. */
  stop(): Promise<void>
}

const START_TRIES = 3
const START_PAUSE_MS = 1_000
/** How long callers are served while it stops, so that each connection can end with an answer. */
const LEAVE_MS = 1_000
/** For callers, and for what runs Executions. */
const CONNECTIONS = { app: 8, worker: 16 }

/** Rejects, with nothing left running, when a part cannot start, or when `giveUp` aborts while parts are still to start. */
export const createHosted = async (options: HostedOptions, giveUp: AbortSignal): Promise<Hosted> => {
  const stops: Stop[] = []
  let stopped: Promise<void> | undefined
  const stop = (): Promise<void> => (stopped ??= stopAll(stops, options.log))
  try {
    const started = await start(options, (one) => stops.push(one), giveUp)
    return { ...started, stop }
  } catch (error) {
    await stop()
    throw error
  }
}

type Services = NamedServices & {
  /** Of the worker, at which it was before. */
  readonly workerPort?: number
  /** Of each Restate node for the others. */
  readonly restateNodePort: number
  /** They belong to this process: nobody else works for them. */
  readonly areOwn: boolean
  /** In a folder of its own: tells who else wants it where the API is. */
  readonly noteUrl: (url: string) => void
}

const start = async (
  options: HostedOptions,
  onStop: Base['onStop'],
  giveUp: AbortSignal,
): Promise<Omit<Hosted, 'stop'>> => {
  const { limits, log, role } = options
  const watched = options.metrics && (await startMetrics({ ...options.metrics, version: packageJson.version, role }))
  if (watched !== undefined) onStop(watched.stop)
  const metrics = watched?.metrics ?? noMetrics
  const tracing = await traced(options)
  if (tracing !== undefined) onStop(tracing.stop)
  // Before anything is started: another process may own the folder.
  const given = options.services ?? ownFolder(options, onStop)
  const early = startEarly(options, onStop)
  const services = await findServices(given, log, onStop)
  giveUp.throwIfAborted()
  const secrets = readSecretKeys(options.secretKeys ?? readOrMakeKeyFile(join(options.dataDir, SECRET_KEY_FILE)))
  const opened = await openHostedStore({ url: services.databaseUrl, connections: CONNECTIONS })
  const measured = measureStore(opened, metrics)
  const store = tracing === undefined ? measured : traceStore(measured, tracing)
  onStop(store.close)
  await checkKeys(store.secrets, secrets, log)
  await checkLimited(store.workspaces, options.limitedWorkspaces ?? [], log)
  giveUp.throwIfAborted()
  const following = startFollowing(store, services.areOwn, log)
  onStop(following.stop)
  const dispatcher = holdWhileAway(createRestateDispatcher(services.restateUrls, tracing?.traceparent), {
    log,
    workspaceOf: store.engine.workspaceOf,
    monotonic: systemClock.monotonic,
  })
  onStop(dispatcher.stop)
  const base: Base = {
    store,
    dispatcher,
    secrets,
    limits,
    ids: createIds(store.now),
    log,
    metrics,
    tracing,
    onCommitted: following.onCommitted,
    onStop,
  }
  const parts = { services, early, base, following, giveUp, onReady: () => watched?.ready(sourcesOf(options, store)) }
  const found = await startRole(options, parts)
  // Other parts wait for messages when they stop.
  onStop(dispatcher.stop)
  if (watched === undefined) return found
  parts.onReady()
  // The first thing to be done when the service stops.
  onStop(watched.notReady)
  return { ...found, metricsUrl: urlOf(options, watched) }
}

/** What starts while the database does. */
type Early = {
  readonly spawnHost: ReturnType<typeof spawnHostAhead>
  /** Absent: this process performs no effects. */
  readonly effects: ReturnType<typeof prepareEffects> | undefined
}

const startEarly = (options: HostedOptions, onStop: Base['onStop']): Early => ({
  spawnHost: spawnHostAhead(onStop),
  effects: has(options, 'worker') ? prepareEffects(options, ownHosts(options), onStop) : undefined,
})

const has = ({ role }: HostedOptions, one: HostedRole): boolean => role === 'all' || role === one

const traced = async ({ tracing, role, log }: HostedOptions): Promise<Tracing | undefined> => {
  if (tracing === undefined) return undefined
  const { startTracing } = await import('./tracing/start-tracing.ts')
  return startTracing(tracing, { version: packageJson.version, role, log })
}

const urlOf = ({ metrics }: HostedOptions, { port }: MetricsPort): string =>
  `http://${metrics?.host.includes(':') === true ? `[${metrics.host}]` : metrics?.host}:${port}`

const sourcesOf = (options: HostedOptions, { connections, engine, schedules, now }: HostedStore): Sources => {
  const secondsSince = (at = Infinity): number => Math.max(0, now() - at) / 1_000
  return {
    connections,
    ...(has(options, 'api') && {
      overdueSeconds: async () => secondsSince(await engine.nextWakeAt()),
      scheduleOverdueSeconds: async () => secondsSince(await schedules.nextFireAt()),
    }),
  }
}

type Parts = {
  readonly services: Services
  readonly early: Early
  readonly base: Base
  readonly following: ReturnType<typeof startFollowing>
  readonly giveUp: AbortSignal
  /** The process can do its work, before it is given any. */
  readonly onReady: () => void
}

const startRole = async (
  options: HostedOptions,
  { services, early, base, following, giveUp, onReady }: Parts,
): Promise<Omit<Hosted, 'stop'>> => {
  const { role, api, hooks, log } = options
  const { store, onStop } = base

  const prepared = await early.effects
  const runner = prepared && startEffects(base, prepared, ownServices(options, services))
  const computing = startComputing(base, {
    spawnHost: early.spawnHost,
    effects: runner ?? noEffects,
    isWorker: runner !== undefined,
    isAlone: services.areOwn,
    cancelGraceMs: options.cancelGraceMs,
  })
  const { changesOf } = following
  const { hosts, visitors, runAhead, startPlaces } = computing
  const portsOf = createWorkspacePorts(base, { hosts, visitors, runAhead, startPlaces, changesOf })

  let registered: Registered | undefined
  const untilRegistered = () => untilAborted(registered?.first ?? Promise.resolve(), giveUp)
  if (runner !== undefined) {
    const worker = { ...options.worker, port: services.workerPort ?? options.worker.port }
    const endpoint = await startWorker(base, { worker, graceMs: options.effects.graceMs, computing, portsOf })
    // Restate calls it before it is registered.
    if (role === 'worker') onReady()
    const url = `${worker.url ?? `http://127.0.0.1:${endpoint.port}`}${endpoint.path}`
    const deployments = createRestateDeployments(services.restateAdminUrls, base.dispatcher)
    registered = keepRegistered(deployments, url, {
      isAlone: services.areOwn,
      log,
      newerOf: (own, others) => store.engine.noteAddress(own, packageJson.version, others),
      isAway: () => endpoint.isAway,
      onReplaced: computing.handOver,
      onLook: base.metrics.getsWork,
    })
    onStop(registered.stop)
  }

  const token = has(options, 'api')
    ? await issueFirstToken({
        workspaces: store.workspaces,
        access: store.access,
        secrets: base.secrets,
        ids: base.ids,
        log,
      })
    : undefined
  const hooksListening = has(options, 'ingress')
    ? await listenOn(createHooks(base, portsOf), { ...hooks, home: 'hosted', leaveMs: LEAVE_MS }, log)
    : undefined
  if (hooksListening !== undefined) onStop(hooksListening.stop)
  onStop(startPlaces.stop) // stops first: callers of webhooks may wait for a place
  const hooksUrl = hooks.publicUrl ?? `http://localhost:${hooksListening?.port ?? hooks.port}`
  const found = {
    ...(hooksListening !== undefined && { hooksUrl }),
    ...(token !== undefined && { token }),
    ...(runner?.waitsBecause !== undefined && { effectsWaitBecause: runner.waitsBecause }),
  }
  if (!has(options, 'api')) {
    await untilRegistered()
    return found
  }

  // The dashboard's cookie and links name the port.
  const port = api.port === 0 ? (await freePorts([0]))[0]! : api.port
  const app = createApi(base, { api: { ...api, port }, hooksUrl, portsOf })
  const listening = await listenOn(app, { home: 'hosted', host: api.host, port, leaveMs: LEAVE_MS }, log)
  const actors = async (workspaceId: string) => {
    const workspace = await store.workspaces.get(workspaceId)
    if (workspace === undefined) throw new Error(`there is no workspace ${workspaceId}`)
    return portsOf({ workspaceId, defaultProjectId: workspace.defaultProjectId })
  }
  const upkeep = startUpkeep({ store, dispatcher: base.dispatcher, portsOf: actors, limits: options.limits, log })
  // At once: callers whose answers are held wait neither for a piece of a bulk nor for calls of webhooks.
  onStop(async () => void (await Promise.all([listening.stop(), hooksListening?.stop(), upkeep.stop()])))
  onStop(startPlaces.stop) // as above, for callers of the API
  onStop(following.endHeld)
  const url = `http://localhost:${listening.port}`
  services.noteUrl(url)
  // Callers are served meanwhile: what they ask for is stored, and Restate is told of it later.
  await untilRegistered()
  return { ...found, url }
}

/** Restate's own, unless it is told another one. */
const RESTATE_NODE_PORT = 5122
/** The host of a PostgreSQL and a Restate of its own. */
const OWN_SERVICES = 'http://127.0.0.1'

/** Effects may connect to none of them, unless `--allow-egress` opens their addresses. */
const ownHosts = ({ services, api, hooks, worker, tracing }: HostedOptions): readonly string[] => {
  const used = services && [databaseServer(services.databaseUrl), ...services.restateUrls, ...services.restateAdminUrls]
  const urls = [...(used ?? [OWN_SERVICES]), api.publicUrl, hooks.publicUrl, worker.url, tracing?.collectorUrl]
  return [...new Set(urls.flatMap((url) => (url === undefined ? [] : [new URL(url).hostname])))]
}

/** URLs: effects may connect to none of them, also where `--allow-egress` opens their addresses. */
const ownServices = ({ worker, metrics, tracing }: HostedOptions, services: Services): readonly string[] => {
  const { databaseUrl, restateUrls, restateAdminUrls, restateNodePort } = services
  const urls = [databaseServer(databaseUrl), ...restateUrls, ...restateAdminUrls, worker.url, tracing?.collectorUrl]
  const nodes = restateUrls.map((url) => `http://${new URL(url).hostname}:${restateNodePort}`)
  const here = [services.workerPort ?? worker.port, ...(metrics === undefined ? [] : [metrics.port])]
  return [...urls.filter((url) => url !== undefined), ...nodes, ...here.map((port) => `http://127.0.0.1:${port}`)]
}

const ownFolder = ({ dataDir }: HostedOptions, onStop: Base['onStop']): ServeFolder => {
  const folder = openServeFolder(dataDir)
  onStop(folder.release)
  return folder
}

/** `given`: those to be used, or the folder of those that are started. */
const findServices = async (
  given: NamedServices | ServeFolder,
  log: Logger,
  onStop: Base['onStop'],
): Promise<Services> => {
  if ('databaseUrl' in given) return { ...given, restateNodePort: RESTATE_NODE_PORT, areOwn: false, noteUrl: () => {} }
  const folder = given
  const { ports, own } = await startOwn(folder.path, log)
  onStop(own.stop)
  return {
    databaseUrl: await migrateOwn(own),
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
const migrateOwn = async ({
  databaseOwnerUrl: ownerUrl,
  databaseSocketFolder: socketFolder,
}: OwnServices): Promise<string> => {
  const login = { user: 'wes_server', password: randomBytes(24).toString('base64url') }
  await migrateDatabase({ ownerUrl, login })
  const url = new URL(ownerUrl)
  url.username = login.user
  url.password = login.password
  if (socketFolder !== undefined) url.searchParams.set('host', socketFolder)
  return url.href
}
