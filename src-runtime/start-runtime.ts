// The composition root of the local runtime: creates all of its parts. Independent of Electron and of the terminal.

import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import type { Logger } from 'pino'
import packageJson from '../package.json' with { type: 'json' }
import { systemClock } from './shared/clock.ts'
import { ApiError } from './contract/errors.ts'
import { createChangesFeed } from './operations/create-changes-feed.ts'
import {
  CONNECTIONS_FILE,
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
import { listenOnLoopback, type Listening } from './http/listen-on-loopback.ts'
import { createIds } from './shared/ids.ts'
import type { Identity } from './operations/get-health.ts'
import { openLocalPorts } from './operations/local-ports.ts'
import { loadEffects } from './operations/load-effects.ts'
import { createSourceVersions } from './operations/source-versions.ts'
import type { Runtime, RuntimeOptions } from './shared/runtime.ts'
import { stopAll, type Stop } from './shared/stop-all.ts'
import { createProgramHosts } from './sandbox/create-program-hosts.ts'
import { readUsage } from './sandbox/read-usage.ts'
import type { SpawnHost } from './sandbox/spawn-host.ts'
import { createFirstRead } from './source/first-read.ts'
import { noSource, openSource } from './source/open-source.ts'
import { openStore } from './store/open-store.ts'
import { reserveLog } from './store/reserve-log.ts'
import { createWorker } from './worker/create-worker.ts'
import { openUnderWay } from './worker/under-way.ts'

const CANCEL_GRACE_MS = 30_000

export const startRuntime = async (options: RuntimeOptions, spawnHost: SpawnHost): Promise<Runtime> => {
  let directory: DataDirectory | undefined
  try {
    directory = openDataDirectory(options.dataDir)
    return await startIn(directory, options, spawnHost)
  } catch (error) {
    directory?.release()
    throw explainFullDisk(error, options.dataDir)
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

/** `stopOnFailure` takes what stops a part, if another one cannot start. */
const startParts = async (
  directory: DataDirectory,
  options: RuntimeOptions,
  spawnHost: SpawnHost,
  stopOnFailure: (stop: Stop) => void,
): Promise<Runtime> => {
  const { log, projectFolder, watch = true, trustsProject = true, offersConnections = false, forks = {} } = options
  const { now } = systemClock
  const ids = createIds(now)
  const isTrusted = createTrustedFolders(directory.path)
  if (trustsProject) trustFolder(directory.path, projectFolder)
  const instanceId = randomBytes(16).toString('base64url')
  const changes = createChangesFeed({ epoch: instanceId })
  const onWritten = () => hosts.sendNow()
  const { databaseFile: file, wasKilled } = directory
  const onDiskFull = () => changes.publish([{ kind: 'runtime' }])
  const onLogFault = (fault: string) => {
    log.error(fault)
    options.onLogFault?.(fault)
  }
  const store = openStore({
    file,
    now,
    onLogFault: wasKilled ? onLogFault : undefined,
    onWritten,
    onCommitted: changes.publish,
    onDiskFull,
    log,
  })
  stopOnFailure(store.close)
  directory.forgetKill()
  const hosts = createProgramHosts({ loadProgram: loadProgram(store), spawnHost, log })
  stopOnFailure(hosts.stop)
  hosts.warm()
  reserveLog(directory.databaseFile, log)
  let port = options.port
  let pageHost: Listening['pageHost'] = 'localhost'
  const ownUrl = () => `http://${pageHost}:${port}`
  const effects = createEffectHosts({
    loadEffects: (versionId) => loadEffects(store, versionId),
    runtimeUrl: ownUrl,
    isTrusted,
    spawnEffectHost: forkEffectHostWith(forks.effects ?? nodeFork, instanceId),
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
  const page = () => `${ownUrl()}/`
  const identity: Identity = {
    home: 'local',
    instanceId,
    secret: randomBytes(32).toString('base64url'),
    version: packageJson.version,
    startedAt: now(),
    port: () => port,
  }
  const eventLoopDelay = createEventLoopDelay()
  stopOnFailure(eventLoopDelay.stop)
  let source = noSource(projectFolder, watch)
  const firstRead = createFirstRead()
  const inspect = {
    dataDir: directory.path,
    startedBy: options.startedBy,
    source: () => source.status(),
    programHosts: hosts.status,
    effectHosts: effects.status,
    rssBytes: (pid: number) => readUsage(pid)?.rssBytes,
    eventLoopDelayP99Ms: eventLoopDelay.p99Ms,
  }
  const pagesFolder = findPages()
  const access = createAccess(options.token, now, offersConnections)
  const isOwner = createOwnerProof(identity)
  const { ports, close: onStopping } = openLocalPorts({
    store,
    worker,
    hosts,
    ids,
    now,
    feed: changes,
    inspect,
    sourceRead: firstRead.wait,
    onBulkError: (error) => log.error({ err: error }, 'a step of a bulk failed'),
  })
  const guard = createGuard(identity.port)
  let lost: ApiError | undefined
  const { promise: dataLost, resolve: tellLost } = Promise.withResolvers<string>()
  const lostWatch = whenLost(directory.openFiles, () => {
    lost = new ApiError(
      'unavailable',
      `The data directory ${directory.path} was deleted, moved or replaced while the runtime used it, or the database or the lock in it was: nothing more is stored.`,
    )
    tellLost(lost.message)
  })
  stopOnFailure(lostWatch.stop)
  const app = createHttpApp({
    home: 'local',
    handlers: createLocalHandlers(identity),
    authenticate: access.authenticate,
    portsOf: () => ports,
    guard: (request) => {
      lostWatch.look()
      return guard(request) ?? lost
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
    pagesFolder,
  })
  stopOnFailure(() => app.close())
  const listening = await listenOnLoopback(app, options.port, log)
  const { stop: stopListening } = listening
  stopOnFailure(stopListening)
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
  // Programs that a folder once deployed must be retired when their source is gone.
  const wasProject = store.programs.fromFolder(projectFolder).length > 0
  // The list may not be readable just now, such as while too many files are open.
  if (trustsProject || isTrusted(projectFolder)) {
    const versions = createSourceVersions({ store, hosts, schemas: ports.schemas, ids, now })
    source = openSource({
      folder: projectFolder,
      versions,
      log,
      watch,
      wasProject,
      fork: forks.schemas,
      onEvent: (event) => {
        options.onSourceEvent?.(event)
        changes.publish([{ kind: 'source' }])
      },
      onRead: () => {
        firstRead.end()
        changes.publish([{ kind: 'source' }])
      },
    })
  } else firstRead.end()

  const stop = async (): Promise<void> => {
    const { ms = 0, onWaiting } = options.effectsGrace ?? {}
    lostWatch.stop()
    firstRead.end()
    const drained = worker.drain(ms, onWaiting)
    // At once, because a Ctrl-C also ends the process that bundles: then a scan that runs fails.
    await Promise.all([source.stop(), stopListening()])
    eventLoopDelay.stop()
    await drained
    await worker.stop()
    await effects.stop()
    await hosts.stop()
    await store.close()
    directory.release()
  }
  let stopped: Promise<void> | undefined
  return {
    url: `http://localhost:${port}`,
    port,
    instanceId,
    link: () => linkTo(page(), access.newCode()),
    dataLost,
    resume: worker.resume,
    stop: () => (stopped ??= stop()),
  }
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
  (store: ReturnType<typeof openStore>) =>
  (versionId: string): { readonly code: string; readonly sourceMap?: string } => {
    const artifact = store.programs.artifact(versionId)
    if (artifact === undefined) throw new Error(`version ${versionId} is not stored`)
    const { code, sourceMap } = artifact
    return sourceMap === undefined ? { code } : { code, sourceMap }
  }
