// Updates the store to match the project's files, and reports the changes.

import { createHash } from 'node:crypto'
import type { Logger } from 'pino'
import { programWarnings } from './warnings.ts'
import { resolveProgramIds } from './resolve-program-ids.ts'
import type { ProjectConfig } from './project-config.ts'
import type { ProjectView } from './project-view.ts'
import { loadError } from './load-error.ts'
import { compareText, sortedErrors, sourceError, startOf, type SourceError } from './source-error.ts'
import type {
  CompiledProgram,
  DeployedProgram,
  SourceDeployment,
  SourceEvent,
  SourcePlace,
  SourceVersions,
} from './source.ts'
import { messageOf } from '../shared/message-of.ts'

export type SourceDeployments = {
  /**
   * Deploys new Programs and retires deleted ones. `tookMs` returns the time since the change was noticed. Resolves to the
   * delay of a retry, in ms, if the store failed or the project is missing.
   */
  apply(view: ProjectView, tookMs: () => number): Promise<number | undefined>
  /** Begins no more deployments. */
  stop(): void
  programs(): readonly { readonly id: string; readonly path: string }[]
  errors(): readonly SourceError[]
  warnings(): readonly SourceError[]
}

type Unchanged = { readonly programId: string; readonly path: string; readonly versionNumber: number }

type Deployed = {
  readonly path: string
  readonly hash: string
  readonly versionNumber: number
  readonly projectId: string
}

/** Each deployment is checked in the sandbox; concurrent ones share a commit. */
const AT_ONCE = 8
/** Of a project that the config names and nobody has created yet. */
const LOOK_FOR_PROJECT_MS = 1_000
/** After failures of the store; each pause is twice as long as the one before. */
const FIRST_RETRY_MS = 1_000
const LONGEST_RETRY_MS = 30_000

export const createSourceDeployments = (options: {
  readonly folder: string
  readonly versions: SourceVersions
  readonly log: Logger
  readonly textOf: (path: string) => string | undefined
  readonly emit: (event: SourceEvent) => void
}): SourceDeployments => {
  const { folder, versions, log, textOf, emit } = options
  const deployed = new Map<string, Deployed>()
  /** By path: the last report. */
  const reported = new Map<string, string>()
  let warned: readonly SourceError[] = []
  /** The files with warnings that are not of their Programs. */
  let warnedFiles: ReadonlySet<string> = new Set()
  let errors: readonly SourceError[] = []
  /** Deployments that the store did not take. */
  let storeFailures = 0
  /** Somebody may create it. */
  let isProjectMissing = false
  let nextRetryMs = FIRST_RETRY_MS
  let stopped = false
  /** Programs of earlier runs that were not found yet. Undefined if it is to be read. */
  let earlier: readonly DeployedProgram[] | undefined

  const placeOf = (path: string, { project }: ProjectConfig): SourcePlace => ({
    folder,
    path,
    ...(project !== undefined && { project }),
  })

  const deployOne = async (
    program: CompiledProgram,
    config: ProjectConfig,
    isSaved: boolean,
    tookMs: () => number,
    unchanged: Unchanged[],
  ): Promise<SourceError | undefined> => {
    const { id, path, artifact } = program
    const hash = `${hashOf(program)} ${config.project ?? ''}`
    const before = deployed.get(id)
    // After a save the store is asked, because somebody may have uploaded another version meanwhile.
    if (before?.hash === hash && !isSaved) {
      unchanged.push({ programId: id, path, versionNumber: before.versionNumber })
      return undefined
    }
    let outcome: SourceDeployment
    try {
      outcome = await versions.deploy(artifact, placeOf(path, config))
    } catch (error) {
      storeFailures++
      log.error({ err: error, programId: id, path }, 'a Program of the project could not be stored')
      return sourceError(program.place, `Program "${id}" could not be stored: ${messageOf(error)}`, textOf(path))
    }
    if (outcome.kind === 'refused') return loadError(program, outcome.message, textOf(path))
    if (outcome.kind === 'no_project') {
      isProjectMissing = true
      const text = `names the project "${config.project}", which does not exist: create it, or change the name`
      return sourceError(startOf(config.path ?? path), text, undefined)
    }
    const { versionNumber, projectId, previousFolder } = outcome
    if (before !== undefined && before.projectId !== projectId) earlier = undefined
    deployed.set(id, { path, hash, versionNumber, projectId })
    if (previousFolder !== undefined && previousFolder !== folder) {
      emit({
        kind: 'warning',
        message: `Program "${id}" was last deployed from ${previousFolder}: it now comes from ${folder}`,
      })
    }
    const isCreated = outcome.kind === 'created'
    if (before === undefined) emit({ kind: 'discovered', programId: id, path, versionNumber, isNew: isCreated })
    else if (isCreated) emit({ kind: 'changed', programId: id, path, versionNumber, tookMs: tookMs() })
    else unchanged.push({ programId: id, path, versionNumber })
    return undefined
  }

  const isHere = ({ projectId, programId }: DeployedProgram): boolean =>
    deployed.get(programId)?.projectId === projectId

  /** In the projects to which they belonged before. */
  const retireMoved = async ({ project = 'default' }: ProjectConfig): Promise<void> => {
    const others = (earlier ?? (await versions.deployedFrom(folder))).filter((one) => !isHere(one))
    const moved = others.filter(({ programId }) => deployed.has(programId))
    for (const { projectId, programId } of moved) await versions.retire(projectId, programId)
    if (moved.length > 0) {
      const which = moved.length === 1 ? `Program "${moved[0]?.programId}" belongs` : `${moved.length} Programs belong`
      const message = `${which} to project "${project}" now, and cannot be started from this folder in another one any more`
      emit({ kind: 'warning', message })
    }
    earlier = others.filter(({ programId }) => !deployed.has(programId))
  }

  /** Keeps Programs whose module fails, was just deleted, or may be half written. */
  const retireDeleted = async (view: ProjectView, claimed: ReadonlyMap<string, CompiledProgram>): Promise<void> => {
    const held = new Set<string>()
    for (const { compiled, good, missing } of view.files.values()) {
      for (const { id } of [...good, ...missing]) held.add(id)
      for (const id of compiled.failedIds) held.add(id)
    }
    const own = [...deployed].map(([programId, { projectId, path }]) => ({ projectId, programId, path }))
    for (const one of [...own, ...(earlier ?? [])]) {
      const { projectId, programId, path } = one
      const { compiled, isUnsettled = false } = view.files.get(path) ?? {}
      const { errors: found = [], doubts = [] } = compiled ?? {}
      const isDoubtful = isUnsettled || found.length + doubts.length > 0
      if (claimed.has(programId) || held.has(programId) || (isDoubtful && !isHere(one))) continue
      await versions.retire(projectId, programId)
      deployed.delete(programId)
      earlier = earlier?.filter((other) => other !== one)
      emit({ kind: 'deleted', programId, path })
    }
  }

  const hasPrograms = (path: string): boolean => [...deployed.values()].some((one) => one.path === path)

  const report = (view: ProjectView, faults: ReadonlyMap<string, readonly SourceError[]>): void => {
    const all: SourceError[] = []
    const told = new Set<string>()
    for (const [path, found] of faults) {
      if (view.files.get(path)?.isUnsettled === true) continue
      all.push(...found)
      const text = found.map(({ message, frame }) => message + frame).join('\n')
      // A module and those that import it may have the same error.
      const own = found.filter(({ message }) => !told.has(message))
      for (const { message } of own) told.add(message)
      if (reported.get(path) !== text && own.length > 0) emit({ kind: 'failed', path, errors: own })
      reported.set(path, text)
    }
    for (const path of [...reported.keys()]) {
      if (faults.has(path)) continue
      reported.delete(path)
      const isThere = view.files.get(path)?.goneSince === undefined && view.files.has(path)
      if (view.config !== undefined && (path === view.config.path || isThere) && !hasPrograms(path))
        emit({ kind: 'fixed', path })
    }
    errors = sortedErrors(all)
  }

  const warn = (view: ProjectView, ofPrograms: readonly SourceError[]): void => {
    const before = new Set(warned.map(({ message }) => message))
    const present = [...view.files.values()].filter((file) => file.goneSince === undefined && !file.isUnsettled)
    const ofFiles = [...view.warnings, ...present.flatMap(({ compiled }) => compiled.warnings)]
    const files = new Set(ofFiles.map(({ path }) => path))
    const ended = [...warnedFiles].filter((path) => !files.has(path) && !hasPrograms(path))
    warned = [...ofFiles, ...ofPrograms]
    warnedFiles = files
    for (const { message } of warned) if (!before.has(message)) emit({ kind: 'warning', message })
    for (const path of ended) emit({ kind: 'fixed', path })
  }

  return {
    apply: async (view, tookMs) => {
      const { config } = view
      const faults = new Map<string, SourceError[]>()
      const note = (path: string, found: readonly SourceError[]) => {
        const known = faults.get(path) ?? []
        const added = found.filter(({ message }) => known.every((one) => one.message !== message))
        if (added.length > 0) faults.set(path, [...known, ...added])
      }
      for (const error of view.configErrors) note(error.path, [error])
      if (config === undefined) {
        report(view, faults)
        return undefined
      }
      const resolved = resolveProgramIds(
        [...view.files.values()].map(({ good, goneSince }) => ({ programs: good, isGone: goneSince !== undefined })),
        textOf,
      )
      for (const [path, { compiled }] of view.files) note(path, compiled.errors)
      for (const [path, found] of resolved.errors) note(path, found)
      storeFailures = 0
      isProjectMissing = false
      const unchanged: Unchanged[] = []
      // What was deleted stays as it is: its folder may be gone as a whole, with the config that says where it belongs.
      const queue = [...resolved.programs.values()].filter(({ path }) => view.files.get(path)?.goneSince === undefined)
      const work = async () => {
        for (let program = queue.shift(); program !== undefined && !stopped; program = queue.shift()) {
          const fault = await deployOne(program, config, isSaved(view, program.path), tookMs, unchanged)
          if (fault !== undefined) note(fault.path, [fault])
        }
      }
      await Promise.all(Array.from({ length: AT_ONCE }, work))
      if (stopped) return undefined
      const programs = [...resolved.programs.values()]
      warn(view, programWarnings(programs, textOf))
      for (const program of unchanged) {
        // A broken file keeps its Programs as they last compiled.
        const wasFailing = reported.has(program.path) && !faults.has(program.path)
        if (wasFailing || view.changed.has(program.path)) emit({ kind: 'unchanged', ...program, wasFailing })
      }
      await retireMoved(config)
      await retireDeleted(view, resolved.programs)
      report(view, faults)
      const retryMs = nextRetryMs
      nextRetryMs = storeFailures > 0 ? Math.min(2 * retryMs, LONGEST_RETRY_MS) : FIRST_RETRY_MS
      return storeFailures > 0 ? retryMs : isProjectMissing ? LOOK_FOR_PROJECT_MS : undefined
    },
    programs: () => [...deployed].map(([id, { path }]) => ({ id, path })).toSorted((a, b) => compareText(a.id, b.id)),
    errors: () => errors,
    warnings: () => warned,
    stop: () => {
      stopped = true
    },
  }
}

/** It, or a file that it imports, was saved, and it compiles: a broken file keeps its Programs as they are. */
const isSaved = ({ changed, files }: ProjectView, path: string): boolean => {
  const file = files.get(path)
  return changed.has(path) && file?.isUnsettled === false && file.compiled.errors.length === 0
}

/** A cache, because each scan hashes every Program, and few of them are new. */
const hashes = new WeakMap<CompiledProgram, string>()

const hashOf = (program: CompiledProgram): string => {
  const known = hashes.get(program)
  if (known !== undefined) return known
  const { sdk: _, ...content } = program.artifact
  const hash = createHash('sha256').update(JSON.stringify(content)).digest('base64')
  hashes.set(program, hash)
  return hash
}
