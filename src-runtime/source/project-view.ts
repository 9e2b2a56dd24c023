// Scans a project and compiles its Program modules. Modules that did not change since the last scan are not compiled
// again.

import { statSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { remembered } from '../shared/remembered.ts'
import { createYield } from '../shared/yield-to-event-loop.ts'
import type { Compiler } from './compile.ts'
import { discover, nearestFolder, type Matching } from './discover.ts'
import { layoutWarnings } from './layout-warnings.ts'
import { createConfigReader } from './config-reader.ts'
import type { ProjectConfig } from './project-config.ts'
import { createSettingsOf } from './settings.ts'
import type { SourceError } from './source-error.ts'
import { isDependency, mayHaveChangedSince, hasAppearedSince, wasWrittenAfter } from './source-files.ts'
import type { CompiledFile, CompiledProgram } from './source.ts'
import {
  GONE_MS,
  hasChanged,
  hasUnsettled,
  isStale,
  SETTLE_MS,
  stampOfInput,
  stampsSince,
  type Stamps,
  type StampNow,
} from './stamps.ts'
import { isMissing, statOf } from '../shared/stat-of.ts'
import { soonest } from './sync-loop.ts'

export type ViewedFile = {
  readonly compiled: CompiledFile
  /** Its Programs as the whole file last compiled. */
  readonly good: readonly CompiledProgram[]
  /** Those of the scan before that it no longer declares, while it is unsettled. */
  readonly missing: readonly CompiledProgram[]
  /** It was written or deleted while it was compiled; or it failed or lacks a Program, and the read may have been incomplete. */
  readonly isUnsettled: boolean
  /** Deleted too recently to be sure: when that was seen (`performance.now()`). */
  readonly goneSince: number | undefined
}

export type ProjectView = {
  /** The last valid one. Undefined if there was none, so that nobody knows where the Programs are and belong. */
  readonly config: ProjectConfig | undefined
  readonly configErrors: readonly SourceError[]
  /** By path. Deleted files stay for a moment, because some editors delete a file before they write it. */
  readonly files: ReadonlyMap<string, ViewedFile>
  /** Paths of the files that changed, or whose inputs changed, since the last scan. */
  readonly changed: ReadonlySet<string>
  /** The folders to watch, as absolute paths. */
  readonly folders: readonly string[]
  /** Absolute paths of all files that were read. */
  readonly inputs: ReadonlySet<string>
  /** Of what seems to be read, and is not. */
  readonly warnings: readonly SourceError[]
  /** Scan again after this time, in ms. */
  readonly againMs: number | undefined
}

type Known = ViewedFile & { readonly stamps: Stamps }

/** Of two files that one checkout writes. */
const WRITTEN_TOGETHER_MS = 300

export type LookAtProject = () => Promise<ProjectView>

/**
 * `onConfigRead`: a config that took long has been read, so that a scan may find more. `isNew`: only a part of the project may be
 * there at the first scan, as at all others.
 */
export const createLookAtProject = (
  { files, evaluator, compile }: Compiler,
  onConfigRead: () => void,
  isNew = false,
): LookAtProject => {
  const known = new Map<string, Known>()
  const readConfig = createConfigReader(files, evaluator, onConfigRead)
  let config: ProjectConfig | undefined
  let matching: Matching = new Map()
  let mayBeIncomplete = isNew

  /** The first Programs of a project that are just being written, as by a checkout: the config that says where they belong comes later. */
  const precedeConfig = (paths: readonly string[]): boolean => {
    const from = Date.now() - WRITTEN_TOGETHER_MS
    return (
      config?.path === undefined && known.size === 0 && paths.some((path) => hasAppearedSince(files.fileOf(path), from))
    )
  }

  const compileAll = async (paths: readonly string[]): Promise<void> => {
    const from = Date.now()
    const settingsOf = createSettingsOf(files)
    const yieldToEventLoop = createYield()
    const all = await compile(paths)
    // Modules share files, and all files have been read.
    const statOfName = remembered((name: string) => statOf(files.fileOf(name)))
    for (const found of all) {
      await yieldToEventLoop()
      const { good: goodBefore = [], missing: missingBefore = [] } = known.get(found.path) ?? {}
      const compiled = goodBefore.length > 0 ? { ...found, errors: [...found.errors, ...found.doubts] } : found
      const absent = [...goodBefore, ...missingBefore].filter(
        ({ id }) => !compiled.programs.some((program) => program.id === id),
      )
      // Files are read more than once, so the result may mix two states of one that was written or deleted meanwhile.
      const isMixed =
        isMissing(files.fileOf(compiled.path)) ||
        compiled.inputs.some((name) => wasWrittenAfter(statOfName(name), from))
      const failed = isMixed || compiled.errors.length > 0
      // An editor that saves in place empties the file first.
      const isUnsettled =
        isMixed ||
        ((failed || absent.length > 0 || compiled.programs.length === 0) &&
          compiled.inputs.some((name) => mayHaveChangedSince(statOfName(name), Date.now() - SETTLE_MS)))
      known.set(compiled.path, {
        compiled: isMixed ? withoutPrograms(compiled) : compiled,
        goneSince: undefined,
        good: failed ? [...goodBefore, ...missingBefore] : compiled.programs,
        missing: !failed && isUnsettled ? absent : [],
        isUnsettled,
        stamps: stampsSince(statOfName, [...settingsOf(compiled.inputs), ...compiled.inputs], from),
      })
    }
  }

  /** The time until the next deleted file counts as gone, in ms; undefined without deleted files. */
  const noteGone = (present: ReadonlySet<string>, now: number): number | undefined => {
    let againMs: number | undefined
    for (const [path, file] of known) {
      if (present.has(path)) {
        if (file.goneSince !== undefined) known.set(path, { ...file, goneSince: undefined })
        continue
      }
      const goneSince = file.goneSince ?? now
      const left = goneSince + GONE_MS - now
      if (left <= 0) {
        known.delete(path)
        continue
      }
      known.set(path, { ...file, goneSince })
      againMs = soonest(againMs, left)
    }
    return againMs
  }

  const dirtyOf = async (paths: readonly string[], stampNow: StampNow) => {
    const yieldToEventLoop = createYield()
    const dirty: string[] = []
    const changed = new Set<string>()
    for (const path of paths) {
      await yieldToEventLoop()
      const file = known.get(path)
      const isSettled = file?.isUnsettled === false && !file.compiled.isOpen
      if (isSettled && !isStale(file.stamps, stampNow)) continue
      dirty.push(path)
      if (file === undefined || hasChanged(file.stamps, stampNow)) changed.add(path)
    }
    return { dirty, changed }
  }

  return async () => {
    // Modules share files, so read each stamp once.
    const stampNow: StampNow = remembered((name) => stampOfInput(files.fileOf(name)))
    const reading = await readConfig(stampNow, mayBeIncomplete)
    if (reading.config !== config) matching = new Map()
    config = reading.config
    const discovered = await discover(files.folder, config?.programs ?? [], matching)
    const isIncomplete = mayBeIncomplete && precedeConfig(discovered.files)
    mayBeIncomplete = true
    const present = isIncomplete ? [] : discovered.files
    const { dirty, changed } = await dirtyOf(present, stampNow)
    await compileAll(dirty)
    const goneMs = noteGone(new Set(present), performance.now())
    const isUnsettled =
      hasUnsettled(reading.stamps) || [...known.values()].some((file) => file.isUnsettled || hasUnsettled(file.stamps))
    const inputs = new Set([...known.values()].flatMap(({ stamps }) => [...stamps.keys()]))
    for (const name of reading.stamps.keys()) inputs.add(name)
    return {
      config,
      configErrors: reading.errors,
      files: new Map(known),
      changed,
      folders: foldersToWatch(files.folder, discovered.folders, inputs),
      inputs: new Set([...inputs].map(files.fileOf)),
      warnings: config === undefined || isIncomplete ? [] : layoutWarnings(files, config, discovered),
      againMs: soonest(isUnsettled || isIncomplete ? SETTLE_MS : undefined, goneMs, reading.againMs),
    }
  }
}

/** They are not known to compile. */
const withoutPrograms = (compiled: CompiledFile): CompiledFile => ({
  ...compiled,
  programs: [],
  failedIds: [...compiled.failedIds, ...compiled.programs.map(({ id }) => id)],
})

/** For a module of a package, also node_modules, in which package managers replace it, or the folder of its scope in there. */
const foldersToWatch = (
  root: string,
  discovered: readonly string[],
  inputs: ReadonlySet<string>,
): readonly string[] => {
  const names = new Set<string>()
  for (const name of inputs) {
    names.add(dirname(name))
    const packages = isDependency(name) ? /^.*(?:^|\/)node_modules(?:\/@[^/]+)?(?=\/)/.exec(name)?.[0] : undefined
    if (packages !== undefined) names.add(packages)
  }
  const folders = new Set([root, ...discovered, ...[...names].map((name) => nearestFolder(resolve(root, name)))])
  return [...folders].filter((folder) => statSync(folder, { throwIfNoEntry: false })?.isDirectory() === true)
}
