// Keeps a project's Programs deployed: a save makes a new version. The watch only triggers a scan of the files, so
// nothing depends on how a system or an editor reports changes.

import { extname, join, resolve } from 'node:path'
import type { Logger } from 'pino'
import { createCompiler, type Compiler } from './compile.ts'
import type { Fork } from '../shared/fork.ts'
import { pause } from '../shared/pause.ts'
import { realPath } from '../shared/real-path.ts'
import type { Evaluator } from './evaluator.ts'
import { gitIsWriting } from './git-lock.ts'
import { createLookAtProject, type LookAtProject, type ProjectView } from './project-view.ts'
import { createSourceDeployments, type SourceDeployments } from './source-deployments.ts'
import { refusedError, type SourceError } from './source-error.ts'
import type { Source, SourceEvent, SourceVersions } from './source.ts'
import { SETTLE_MS } from './stamps.ts'
import { isMissing, statOf } from '../shared/stat-of.ts'
import { createSyncLoop, soonest } from './sync-loop.ts'
import { DEFAULT_PROGRAMS, nearestFolder } from './discover.ts'
import { watchFolders, type OnHint } from './watch-folders.ts'
import { messageOf } from '../shared/message-of.ts'

export type SourceOptions = {
  readonly folder: string
  readonly versions: SourceVersions
  readonly log: Logger
  /** Whether to watch the project for changes. */
  readonly watch: boolean
  /** Whether only a part of the project may be there when it is read for the first time; default false. */
  readonly isNew?: boolean
  /** The caller stops it. */
  readonly evaluator?: Evaluator
  /** Starts the process that reads the source's schemas. */
  readonly fork?: Fork
}

/** A scan that takes longer is reported: a large package takes the bundler up to a minute. */
export const SLOW_MS = 5_000
const AGAIN_MS = 20
const WHERE_AGAIN_MS = 1_000

type Opened = { readonly compiler: Compiler; readonly look: LookAtProject; readonly deployments: SourceDeployments }

export const createSource = (options: SourceOptions): Source => {
  const { versions, log, watch, evaluator, fork } = options
  const folder = resolve(options.folder)
  const listeners = new Set<(event: SourceEvent) => void>()
  let opened: Opened | undefined
  let view: ProjectView | undefined
  let isNew = options.isNew ?? false
  let stopped = false
  let wasMissing: boolean | undefined
  /** Git is writing files of the folder. */
  let isBeingWritten = false
  let saidToLeadTo: string | undefined
  /** A folder that may not be read: its Programs stay as they were. */
  let refused: SourceError | undefined

  const emit = (event: SourceEvent): void => {
    for (const listener of listeners) listener(event)
  }

  /** Undefined until the folder exists; it may be created later. */
  const open = (): Opened | undefined => {
    if (opened !== undefined) return opened
    if (statOf(folder)?.isDirectory() !== true) {
      isNew = true
      return undefined
    }
    const onLateEnded = (): void => loop.request()
    const compiler = createCompiler({ folder, onLateEnded, ...(evaluator && { evaluator }), ...(fork && { fork }) })
    const textOf = compiler.files.text
    opened = {
      compiler,
      look: createLookAtProject(compiler, onLateEnded, isNew),
      deployments: createSourceDeployments({ folder: compiler.files.folder, versions, log, textOf, emit }),
    }
    return opened
  }

  const lookAtFolder = (): void => {
    const own = opened?.compiler.files.folder ?? folder
    const before = wasMissing
    wasMissing = isMissing(own)
    if (before !== undefined && before !== wasMissing) emit({ kind: 'folder', folder: own, isMissing: wasMissing })
  }

  /** An earlier run deployed them; as when the folder is deleted, they can be started again once it is back. */
  const retireAll = async (): Promise<void> => {
    for (const { projectId, programId, path } of await versions.deployedFrom(folder)) {
      await versions.retire(projectId, programId)
      emit({ kind: 'deleted', programId, path })
    }
  }

  /** A link may have replaced the folder. The bundler names modules by their real paths, and nobody has said that the other folder is trusted. */
  const leadsElsewhere = (root: string): boolean => {
    const now = isMissing(root) ? root : realPath(root)
    if (now !== root && now !== saidToLeadTo) {
      const message = `${root} is no longer read, because it leads to ${now} now: start the runtime again to use that folder`
      emit({ kind: 'warning', message })
    }
    saidToLeadTo = now
    return now !== root
  }

  const look = async ({ compiler, look: lookAt }: Opened): Promise<ProjectView | undefined> => {
    const root = compiler.files.folder
    isBeingWritten = gitIsWriting(root)
    if (isBeingWritten) return undefined
    const slow = setTimeout(() => emit({ kind: 'slow', folder: root }), SLOW_MS)
    const found = await lookAt().finally(() => clearTimeout(slow))
    // Git may have begun meanwhile: then some of the files may be of another commit.
    isBeingWritten = gitIsWriting(root)
    return isBeingWritten ? undefined : found
  }

  const loop = createSyncLoop(
    async (askedAt) => {
      isBeingWritten = false
      lookAtFolder()
      const project = open()
      if (project === undefined) {
        if (isMissing(folder)) await retireAll()
        return watching?.set([nearestFolder(folder)]) === true ? AGAIN_MS : undefined
      }
      if (leadsElsewhere(project.compiler.files.folder)) return WHERE_AGAIN_MS
      const found = await look(project)
      if (stopped) return undefined
      if (found === undefined) return SETTLE_MS
      view = found
      const wasRefused = refused !== undefined
      refused = undefined
      if (wasRefused) emit({ kind: 'folder', folder: project.compiler.files.folder, isMissing: false })
      // Watch before deploying, which takes longer. A change between the scan and the start of the watch is not reported,
      // so scan again.
      const isMore = watching?.set(view.folders) === true
      const retryMs = await project.deployments.apply(view, () => performance.now() - askedAt)
      return soonest(isMore ? AGAIN_MS : undefined, view.againMs, retryMs)
    },
    (error) => {
      const before = refused
      refused = refusedError(opened?.compiler.files.folder ?? folder, error)
      if (refused !== undefined) {
        if (refused.message !== before?.message) emit({ kind: 'failed', path: refused.path, errors: [refused] })
        return
      }
      log.error({ err: error, folder }, 'the project could not be read')
      emit({
        kind: 'warning',
        message: `${folder} could not be read: ${messageOf(error)}`,
      })
    },
  )

  const errors = (): readonly SourceError[] => [
    ...(refused === undefined ? [] : [refused]),
    ...(opened?.deployments.errors() ?? []),
  ]

  const onHint: OnHint = (at, file, what) => {
    if (at === undefined) loop.poll()
    else if (isRelevant(view, at, file, what)) loop.request()
  }

  const watching = watch
    ? watchFolders(onHint, (why) => {
        log.warn({ folder }, why)
        emit({ kind: 'warning', message: `${why}: checking for changes once a second instead` })
      })
    : undefined

  return {
    start: async () => {
      const startedAt = performance.now()
      await loop.lookNow()
      while (isBeingWritten && !stopped) {
        await pause(SETTLE_MS)
        await loop.lookNow()
      }
      if (stopped) return
      const programs = opened?.deployments.programs().length ?? 0
      const failed = new Set(errors().map(({ path }) => path)).size
      const expectedIn = view?.config?.programs ?? DEFAULT_PROGRAMS
      emit({ kind: 'ready', folder, programs, expectedIn, failed, tookMs: performance.now() - startedAt })
    },
    read: async () => {
      while (!stopped && opened?.compiler.isEvaluating() === true) {
        await pause(AGAIN_MS)
        if (!opened.compiler.isEvaluating()) await loop.lookNow()
      }
    },
    status: () => ({
      folder: opened?.compiler.files.folder ?? folder,
      watching: watch,
      isMissing: wasMissing === true,
      project: view?.config === undefined ? undefined : (view.config.project ?? 'default'),
      programs: opened?.deployments.programs() ?? [],
      errors: errors(),
      warnings: opened?.deployments.warnings() ?? [],
    }),
    onEvent: (listener) => {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    stop: async () => {
      stopped = true
      watching?.stop()
      opened?.compiler.stop()
      opened?.deployments.stop()
      await loop.stop()
    },
  }
}

const SOURCE_FILE = /\.(?:[cm]?[jt]sx?|json)$/

/** Ignores changes of logs, databases and builds in the project folder. */
const isRelevant = (
  view: ProjectView | undefined,
  folder: string,
  file: string | undefined,
  what: 'content' | 'entry',
): boolean => {
  if (view === undefined || file === undefined) return true
  if (SOURCE_FILE.test(file)) return true
  const path = join(folder, file)
  if (view.inputs.has(path)) return true
  if (what === 'content') return false
  return extname(file) === '' || statOf(path)?.isDirectory() === true
}
