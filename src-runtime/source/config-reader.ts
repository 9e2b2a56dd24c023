// Reads a project's config when it has changed. A change that takes long to evaluate is read in the background, so that
// saves of other files do not wait for it.

import { within } from '../shared/within.ts'
import type { Evaluator } from './evaluator.ts'
import { WAITED_FOR_MS } from './late-evaluations.ts'
import { configFileOf, readProjectConfig, type ConfigOutcome, type ProjectConfig } from './project-config.ts'
import { fileError, type SourceError } from './source-error.ts'
import { statOf } from '../shared/stat-of.ts'
import { mayHaveChangedSince, type SourceFiles } from './source-files.ts'
import { GONE_MS, isStale, SETTLE_MS, stampOfInput, stampsSince, type Stamps, type StampNow } from './stamps.ts'

export type ReadConfig = {
  /** The last valid one. Undefined if there was none, so that nobody knows where the Programs are and belong. */
  readonly config: ProjectConfig | undefined
  readonly errors: readonly SourceError[]
  readonly stamps: Stamps
  /** Read it again after this time, in ms: its file was deleted, or is wrong and was written, too recently to be sure. */
  readonly againMs?: number
}

/** `mayBeIncomplete`: it may just be written. Rejects if the system starts no process that evaluates it. */
export type ReadConfigNow = (stampNow: StampNow, mayBeIncomplete: boolean) => Promise<ReadConfig>

const LOOK_EVERY_MS = 250

/** `onRead` is called when one has been read in the background. */
export const createConfigReader = (files: SourceFiles, evaluator: Evaluator, onRead: () => void): ReadConfigNow => {
  let config: ProjectConfig | undefined
  let errors: readonly SourceError[] = []
  let stamps: Stamps = new Map()
  let reading: AbortController | undefined
  let goneSince: number | undefined
  const stampNow: StampNow = (name) => stampOfInput(files.fileOf(name))

  const settle = async (own: AbortController, outcome: Promise<ConfigOutcome>): Promise<void> => {
    try {
      const found = await outcome
      if (reading !== own) return
      if (found.ok) config = found.config
      errors = found.ok ? [] : found.errors
    } catch (error) {
      if (reading !== own) return
      stamps = new Map() // the next scan reads it again
      throw error
    } finally {
      if (reading === own) reading = undefined
    }
  }

  const begin = async (): Promise<void> => {
    reading?.abort()
    const own = new AbortController()
    reading = own
    const from = Date.now()
    const { path, inputs, outcome } = await readProjectConfig(files, evaluator, own.signal)
    stamps = stampsSince((name) => statOf(files.fileOf(name)), inputs, from)
    const settled = settle(own, outcome)
    // Without any, nothing can be read. A change of it, perhaps its mending, is noticed.
    while (config === undefined && reading === own) {
      await within(LOOK_EVERY_MS, settled)
      if (reading === own && isStale(stamps, stampNow)) return begin()
    }
    await within(WAITED_FOR_MS, settled)
    if (path === undefined || reading !== own) return
    settled.then(onRead, onRead)
    errors = [fileError(files, path, SLOW)]
  }

  /** Positive while its file was just deleted: without it, all Programs would move to the default project. */
  const goneMs = (): number => {
    if (config?.path === undefined || configFileOf(files) !== undefined) {
      goneSince = undefined
      return 0
    }
    goneSince ??= performance.now()
    return goneSince + GONE_MS - performance.now()
  }

  const isBeingWritten = (): boolean => {
    const path = configFileOf(files)
    return path !== undefined && mayHaveChangedSince(statOf(files.fileOf(path)), Date.now() - SETTLE_MS)
  }

  return async (stampInScan, mayBeIncomplete) => {
    const againMs = goneMs()
    if (againMs > 0) return { config, errors, stamps, againMs }
    if (stamps.size === 0 || isStale(stamps, stampInScan)) await begin()
    return errors.length > 0 && mayBeIncomplete && isBeingWritten()
      ? { config, errors: [], stamps, againMs: SETTLE_MS }
      : { config, errors, stamps }
  }
}

const SLOW = `takes longer than ${WAITED_FOR_MS / 1_000} s to evaluate: until it has been, the config from before its change counts`
