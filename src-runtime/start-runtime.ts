// The composition root of the local runtime: creates all of its parts. Independent of Electron and of the terminal.

import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import type { Logger } from 'pino'
import packageJson from '../package.json' with { type: 'json' }
import { systemClock } from './shared/clock.ts'
import { ApiError } from './contract/errors.ts'
import { createChangesFeed, type ChangesFeed } from './operations/create-changes-feed.ts'
import {
  CONNECTIONS_FILE,
  hasData,
  openDataDirectory,
  UNDER_WAY_FILE,
  writeRuntimeInfo,
  type DataDirectory,
} from './data-directory/data-directory.ts'
import { explainFullDisk } from './data-directory/full-disk.ts'
import { createTrustedFolders, trustFolder } from './data-directory/trusted-folders.ts'
import { whenLost } from './data-directory/when-lost.ts'
import { createEffectHosts } from './effects/create-effect-hosts.ts'
import { forkEffectHostWith } from './effects/spawn-effect-host.ts'
import { nodeFork } from './shared/fork.ts'
import { createEventLoopDelay } from './operations/event-loop-delay.ts'
import { findPages } from './pages/find-pages.ts'
import { createAccess } from './http/access.ts'
import { addConnectionsRoutes } from './http/connections-routes.ts'
import { createHttpApp } from './http/create-http-app.ts'
import { createGuard } from './http/guard.ts'
import { createLocalHandlers } from './http/local-handlers.ts'
import { createOwnerProof } from './http/owner-proof.ts'
import { addSessionRoutes } from './http/session-routes.ts'
import { expectFreePort, listenOnLoopback, type Listening } from './http/listen-on-loopback.ts'
import { createIds, type Ids } from './shared/ids.ts'
import type { Identity } from './operations/get-health.ts'
import { openLocalPorts, type OpenedLocalPorts } from './operations/local-ports.ts'
import { loadEffects } from './operations/load-effects.ts'
import { createSourceVersions } from './operations/source-versions.ts'
import type { Runtime, RuntimeOptions } from './shared/runtime.ts'
import { stopAll, type Stop } from './shared/stop-all.ts'
import { createProgramHosts } from './sandbox/create-program-hosts.ts'
import { readUsage } from './sandbox/read-usage.ts'
import type { SpawnHost } from './sandbox/spawn-host.ts'
import { createFirstRead } from './source/first-read.ts'
import { noSource, openSource, type OpenedSource } from './source/open-source.ts'
import { openStore } from './store/open-store.ts'
import { reserveLog } from './store/reserve-log.ts'
import type { Store } from './store/store.ts'
import { createWorker } from './worker/create-worker.ts'
import { openUnderWay } from './worker/under-way.ts'

const CANCEL_GRACE_MS = 30_000

export const startRuntime = async (options: RuntimeOptions, spawnHost: SpawnHost): Promise<Runtime> => {
  let directory: DataDirectory | undefined
  if (!hasData(options.dataDir)) await expectFreePortFor(options)
  try {
    directory = openDataDirectory(options.dataDir)
    return await startIn(directory, options, spawnHost)
  } catch (error) {
    directory?.release()
    throw explainFullDisk(error, options.dataDir)
  }
}

/** Otherwise a start that is refused would leave a new data directory. */
const expectFreePortFor = async ({ dataDir, port }: RuntimeOptions): Promise<void> => {
  try {
    await expectFreePort(port)
  } catch (error) {
    // One that was started at the same moment may have it, with this data.
    if (!hasData(dataDir)) throw error
  }
}

/** Stops what was started if another part cannot start. */
const startIn = async (directory: DataDirectory, options: RuntimeOptions, spawnHost: SpawnHost): Promise<Runtime> => {
  const stops: Stop[] = []
  try {
    return await startParts(directory, options, spawnHost, (stop) => stops.push(stop))
  } catch (error) {
    await stopAll(stops, options.log)
    throw error
  }
}

/** What the parts of the runtime share. */
type Base = {
  readonly directory: DataDirectory
  readonly options: RuntimeOptions
  readonly identity: Identity
  readonly ids: Ids
  readonly changes: ChangesFeed
  readonly isTrusted: (folder: string) => boolean
  /** Its port and host are known once it listens. */
  readonly ownUrl: () => string
  /** Takes what stops a part, if another one cannot start. */
  readonly stopOnFailure: (stop: Stop) => void
}

const startParts = async (
  directory: DataDirectory,
  options: RuntimeOptions,
  spawnHost: SpawnHost,
  stopOnFailure: (stop: Stop) => void,
): Promise<Runtime> => {
  const { log, projectFolder, trustsProject = true } = options
  const { now } = systemClock
  const isTrusted = createTrustedFolders(directory.path)
  if (trustsProject) trustFolder(directory.path, projectFolder)
  const instanceId = randomBytes(16).toString('base64url')
  let port = options.port
  let pageHost: Listening['pageHost'] = 'localhost'
  const identity: Identity = {
    home: 'local',
    instanceId,
    secret: randomBytes(32).toString('base64url'),
    version: packageJson.version,
    startedAt: now(),
    port: () => port,
  }
  const base: Base = {
    directory,
    options,
    identity,
    ids: createIds(now),
    changes: createChangesFeed({ epoch: instanceId }),
    isTrusted,
    ownUrl: () => `http://${pageHost}:${port}`,
    stopOnFailure,
  }
  const engine = await startEngine(base, spawnHost)
  const { store, hosts, effects, worker } = engine
  // Opening the store has blocked: only now the process hears of a signal that came meanwhile.
  for (let turn = 0; turn < 2; turn += 1) await new Promise((resolve) => setImmediate(resolve))
  options.signal?.throwIfAborted()
  const eventLoopDelay = createEventLoopDelay()
  stopOnFailure(eventLoopDelay.stop)
  const firstRead = createFirstRead()
  let source = noSource(projectFolder, options.watch ?? true)
  const opened = openLocalPorts({
    store,
    worker,
    hosts,
    ids: base.ids,
    now,
    feed: base.changes,
    inspect: {
      dataDir: directory.path,
      startedBy: options.startedBy,
      source: () => source.status(),
      programHosts: hosts.status,
      effectHosts: effects.status,
      rssBytes: (pid: number) => readUsage(pid)?.rssBytes,
      eventLoopDelayP99Ms: eventLoopDelay.p99Ms,
    },
    sourceRead: firstRead.wait,
    onBulkError: (error) => log.error({ err: error }, 'a step of a bulk failed'),
  })
  const lostData = watchData(base)
  const { app, link } = createApp(base, opened, lostData)
  stopOnFailure(() => app.close())
  const listening = await listenOnLoopback(app, options.port, log)
  const { stop: stopListening } = listening
  stopOnFailure(stopListening)
  options.signal?.throwIfAborted()
  ;({ port, pageHost } = listening)
  writeRuntimeInfo(directory.path, {
    pid: process.pid,
    port,
    instanceId,
    version: identity.version,
    secret: identity.secret,
    ...(options.token !== undefined && { token: options.token }),
    dataDir: directory.path,
    projectFolder,
    startedAt: new Date(identity.startedAt).toISOString(),
  })
  worker.start()
  source = openProject(base, engine, opened.ports.schemas, firstRead.end) ?? source

  const stop = async (): Promise<void> => {
    const { ms = 0, onWaiting } = options.effectsGrace ?? {}
    lostData.stop()
    firstRead.end()
    const drained = worker.drain(ms, onWaiting)
    // At once, because a Ctrl-C also ends the process that bundles: then a scan that runs fails.
    await Promise.all([source.stop(), stopListening()])
    eventLoopDelay.stop()
    await drained
    await worker.stop()
    await effects.stop()
    await hosts.stop()
    try {
      directory.unpublish()
    } finally {
      await store.close()
      directory.release()
    }
  }
  let stopped: Promise<void> | undefined
  return {
    url: `http://localhost:${port}`,
    port,
    instanceId,
    link,
    dataLost: lostData.told,
    resume: worker.resume,
    stop: () => (stopped ??= stop()),
  }
}

type Engine = Awaited<ReturnType<typeof startEngine>>

/** The store, and what runs Executions and their effects. The worker begins later. */
const startEngine = async (base: Base, spawnHost: SpawnHost) => {
  const { directory, options, identity, changes, isTrusted, ownUrl, stopOnFailure } = base
  const { log, forks = {}, onLogFault = (fault: string) => log.error(fault) } = options
  const store = await openStore({
    file: directory.databaseFile,
    now: systemClock.now,
    onLogFault: directory.wasKilled ? onLogFault : undefined,
    upgrade: {
      fork: forks.upgrade,
      signal: options.signal,
      onUpgrade: (backup) =>
        log.warn(
          `the database was written by an older version of WES: it is copied to ${backup} and upgraded before the runtime is ready, which takes minutes if it is large`,
        ),
      onProgress: options.onUpgradeProgress,
      log,
    },
    onWritten: () => hosts.sendNow(),
    onCommitted: changes.publish,
    onDiskFull: () => changes.publish([{ kind: 'runtime' }]),
    log,
  })
  stopOnFailure(store.close)
  directory.forgetKill()
  const hosts = createProgramHosts({ loadProgram: loadProgram(store), spawnHost, log })
  stopOnFailure(hosts.stop)
  hosts.warm()
  reserveLog(directory.databaseFile, log)
  const effects = createEffectHosts({
    loadEffects: (versionId) => loadEffects(store, versionId),
    runtimeUrl: ownUrl,
    isTrusted,
    spawnEffectHost: forkEffectHostWith(forks.effects ?? nodeFork, identity.instanceId),
    log,
  })
  stopOnFailure(effects.stop)
  const worker = createWorker({
    store,
    hosts,
    effects,
    clock: systemClock,
    log,
    underWay: openUnderWay(join(directory.path, UNDER_WAY_FILE)),
    runsEffects: options.runEffects ?? true,
    cancelGraceMs: options.cancelGraceMs ?? CANCEL_GRACE_MS,
    onFailure: options.onFailure,
  })
  stopOnFailure(worker.stop)
  return { store, hosts, effects, worker }
}

type LostData = {
  /** What requests are answered once the data is lost. Looks now. */
  refusal(): ApiError | undefined
  /** Resolves to what users are told. */
  readonly told: Promise<string>
  stop(): void
}

const watchData = ({ directory, stopOnFailure }: Base): LostData => {
  let lost: ApiError | undefined
  const { promise: told, resolve: tell } = Promise.withResolvers<string>()
  const watch = whenLost(directory.openFiles, () => {
    lost = new ApiError(
      'unavailable',
      `The data directory ${directory.path} was deleted, moved or replaced while the runtime used it, or the database or the lock in it was: nothing more is stored.`,
    )
    tell(lost.message)
  })
  stopOnFailure(watch.stop)
  return {
    refusal: () => {
      watch.look()
      return lost
    },
    told,
    stop: watch.stop,
  }
}

/** The API and the pages; `link` opens the dashboard. */
const createApp = (
  { directory, options, identity, ownUrl }: Base,
  { ports, close: onStopping }: OpenedLocalPorts,
  lostData: LostData,
) => {
  const { token, offersConnections = false, log } = options
  const access = createAccess(token, systemClock.now, offersConnections)
  const isOwner = createOwnerProof(identity)
  const guard = createGuard(identity.port)
  const page = () => `${ownUrl()}/`
  const app = createHttpApp({
    home: 'local',
    handlers: createLocalHandlers(identity),
    authenticate: access.authenticate,
    portsOf: () => ports,
    guard: (request) => {
      const refusal = lostData.refusal()
      return guard(request) ?? refusal
    },
    addRoutes: (added) => {
      addSessionRoutes(added, access, isOwner, page)
      if (offersConnections) {
        const handle = connectionsHandler(join(directory.path, CONNECTIONS_FILE), log)
        addConnectionsRoutes(added, { access, handle, log })
      }
    },
    onStopping,
    log,
    pagesFolder: findPages(),
  })
  return { app, link: () => linkTo(page(), access.newCode()) }
}

/** Follows the source of the project. Absent, with the first read ended: its folder is not trusted. */
const openProject = (
  { options, ids, changes, isTrusted }: Base,
  { store, hosts }: Engine,
  schemas: OpenedLocalPorts['ports']['schemas'],
  endFirstRead: () => void,
): OpenedSource | undefined => {
  const { projectFolder: folder, trustsProject = true, watch = true, forks, log } = options
  // The list may not be readable just now, such as while too many files are open.
  if (!trustsProject && !isTrusted(folder)) {
    endFirstRead()
    return undefined
  }
  return openSource({
    folder,
    versions: createSourceVersions({ store, hosts, schemas, ids, now: systemClock.now }),
    log,
    watch,
    // Programs that a folder once deployed must be retired when their source is gone.
    wasProject: store.programs.fromFolder(folder).length > 0,
    fork: forks?.schemas,
    onEvent: (event) => {
      options.onSourceEvent?.(event)
      changes.publish([{ kind: 'source' }])
    },
    onRead: () => {
      endFirstRead()
      changes.publish([{ kind: 'source' }])
    },
  })
}

/** Loaded with the first request. Tokens stay in memory for this run. */
const connectionsHandler = (file: string, log: Logger): ((request: Request) => Promise<Response>) => {
  const open = async () => {
    const { offerConnections } = await import('./connections/offer-connections.ts')
    const { createMemoryKeeper } = await import('./connections/token-keeper.ts')
    const keeper = createMemoryKeeper()
    const { version } = packageJson
    const environment = process.env
    return offerConnections({ file, keeper, version, now: systemClock.now, log, environment }).handle
  }
  let opened: ReturnType<typeof open> | undefined
  return async (request) => (await (opened ??= open()))(request)
}

/** The code is in the fragment, which browsers do not send to servers. */
const linkTo = (page: string, code: string | undefined): string => (code === undefined ? page : `${page}#code=${code}`)

const loadProgram =
  (store: Store) =>
  (versionId: string): { readonly code: string; readonly sourceMap?: string } => {
    const artifact = store.programs.artifact(versionId)
    if (artifact === undefined) throw new Error(`version ${versionId} is not stored`)
    const { code, sourceMap } = artifact
    return sourceMap === undefined ? { code } : { code, sourceMap }
  }
