// The composition root of the hosted service: makes the parts of its role and joins them. Any number of processes may share
// one PostgreSQL and one Restate.

import { join } from 'node:path'
import packageJson from '../package.json' with { type: 'json' }
import { noEffects } from '../src-runtime/effects/effect-performer.ts'
import { listenOn } from '../src-runtime/http/listen-on-loopback.ts'
import { systemClock } from '../src-runtime/shared/clock.ts'
import { untilAborted } from '../src-runtime/shared/fair-places.ts'
import { createIds } from '../src-runtime/shared/ids.ts'
import { stopAll, type Stop } from '../src-runtime/shared/stop-all.ts'
import { freePorts } from './boot/free-ports.ts'
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
import { findServices, ownFolder, ownHosts, ownServices, type Services } from './roles/find-services.ts'
import { spawnHostAhead, startComputing, type Computing } from './roles/start-computing.ts'
import { prepareEffects, startEffects } from './roles/start-effects.ts'
import { startWorker } from './roles/start-worker.ts'
import { createWorkspacePorts, type WorkspacePortsOf } from './roles/workspace-ports.ts'
import type { HostedOptions, HostedRole } from './shared/hosted-options.ts'
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

const startRole = async (options: HostedOptions, parts: Parts): Promise<Omit<Hosted, 'stop'>> => {
  const { services, early, base, following, giveUp } = parts
  const prepared = await early.effects
  const runner = prepared && startEffects(base, prepared, ownServices(options, services))
  const computing = startComputing(base, {
    spawnHost: early.spawnHost,
    effects: runner ?? noEffects,
    isWorker: runner !== undefined,
    isAlone: services.areOwn,
    cancelGraceMs: options.cancelGraceMs,
  })
  const { hosts, visitors, runAhead, startPlaces } = computing
  const portsOf = createWorkspacePorts(base, { hosts, visitors, runAhead, startPlaces, changesOf: following.changesOf })

  // The worker starts after what serves callers, which would wait for as long as unfinished work keeps this process busy; and stops after it.
  const stopsOfWorker: Stop[] = []
  base.onStop(() => stopAll(stopsOfWorker, base.log))
  const token = has(options, 'api') ? await firstToken(base) : undefined
  const webhooks = has(options, 'ingress') ? await startIngress(options, base, portsOf) : undefined
  base.onStop(startPlaces.stop) // stops first: callers of webhooks may wait for a place
  const hooksUrl = options.hooks.publicUrl ?? `http://localhost:${webhooks?.port ?? options.hooks.port}`
  const url = has(options, 'api')
    ? await startApi(options, parts, { portsOf, hooksUrl, stopWebhooks: webhooks?.stop, startPlaces })
    : undefined
  const ofWorker: Parts = { ...parts, base: { ...base, onStop: (one) => stopsOfWorker.push(one) } }
  const registered = runner && (await startRegistered(options, ofWorker, computing, portsOf))
  // Callers are served meanwhile: what they ask for is stored, and Restate is told of it later.
  await untilAborted(registered?.first ?? Promise.resolve(), giveUp)
  return {
    ...(url !== undefined && { url }),
    ...(webhooks !== undefined && { hooksUrl }),
    ...(token !== undefined && { token }),
    ...(runner?.waitsBecause !== undefined && { effectsWaitBecause: runner.waitsBecause }),
  }
}

const firstToken = ({ store, secrets, ids, log }: Base): Promise<string | undefined> =>
  issueFirstToken({ workspaces: store.workspaces, access: store.access, secrets, ids, log })

/** The worker, and what keeps it known to Restate. */
const startRegistered = async (
  options: HostedOptions,
  { services, base, onReady }: Parts,
  computing: Computing,
  portsOf: WorkspacePortsOf,
): Promise<Registered> => {
  const { role, log } = options
  const worker = { ...options.worker, port: services.workerPort ?? options.worker.port }
  const endpoint = await startWorker(base, {
    worker,
    graceMs: options.effects.graceMs,
    computing,
    isAlone: services.areOwn,
    portsOf,
  })
  // Restate calls it before it is registered.
  if (role === 'worker') onReady()
  const url = `${worker.url ?? `http://127.0.0.1:${endpoint.port}`}${endpoint.path}`
  const deployments = createRestateDeployments(services.restateAdminUrls, base.dispatcher)
  const registered = keepRegistered(deployments, url, {
    isAlone: services.areOwn,
    log,
    newerOf: (own, others) => base.store.engine.noteAddress(own, packageJson.version, others),
    isAway: () => endpoint.isAway,
    onReplaced: computing.handOver,
    onLook: base.metrics.getsWork,
  })
  base.onStop(registered.stop)
  return registered
}

const startIngress = async ({ hooks, log }: HostedOptions, base: Base, portsOf: WorkspacePortsOf) => {
  const listening = await listenOn(createHooks(base, portsOf), { ...hooks, home: 'hosted', leaveMs: LEAVE_MS }, log)
  base.onStop(listening.stop)
  return listening
}

/** Answers the URL of the API. */
const startApi = async (
  { api, limits, log }: HostedOptions,
  { base, following, services }: Parts,
  around: {
    readonly portsOf: WorkspacePortsOf
    readonly hooksUrl: string
    readonly stopWebhooks: Stop | undefined
    readonly startPlaces: Computing['startPlaces']
  },
): Promise<string> => {
  const { store, dispatcher, onStop } = base
  const { portsOf, hooksUrl, stopWebhooks, startPlaces } = around
  // The dashboard's cookie and links name the port.
  const port = api.port === 0 ? (await freePorts([0]))[0]! : api.port
  const app = createApi(base, { api: { ...api, port }, hooksUrl, portsOf })
  if (services.areOwn) await store.bulkWork.endLeases() // the process that worked on them has died
  const listening = await listenOn(app, { home: 'hosted', host: api.host, port, leaveMs: LEAVE_MS }, log)
  const actors = async (workspaceId: string) => {
    const workspace = await store.workspaces.get(workspaceId)
    if (workspace === undefined) throw new Error(`there is no workspace ${workspaceId}`)
    return portsOf({ workspaceId, defaultProjectId: workspace.defaultProjectId })
  }
  const upkeep = startUpkeep({ store, dispatcher, portsOf: actors, limits, log })
  // At once: callers whose answers are held wait neither for a piece of a bulk nor for calls of webhooks.
  onStop(async () => void (await Promise.all([listening.stop(), stopWebhooks?.(), upkeep.stop()])))
  onStop(startPlaces.stop) // as above, for callers of the API
  onStop(following.endHeld)
  const url = `http://localhost:${listening.port}`
  services.noteUrl(url)
  return url
}
