// Calls esbuild, which starts a process with the first call, and keeps it. Without the listeners here, Node ends the whole
// runtime when the system starts no process, and every later call fails when the process was killed.

import type { ChildProcess } from 'node:child_process'
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { resolve } from 'node:path'
import { build as bundle, stop, type Plugin } from 'esbuild'
import { inPackages, statOf } from '../shared/stat-of.ts'
import { createYieldInTurn } from '../shared/yield-to-event-loop.ts'
import { createSettingsCheck, firstOf } from './bundler-settings.ts'
import { CannotBundle } from './source-error.ts'
import { whyNotReadable, whyOtherCase } from './source-files.ts'

let current: ChildProcess | undefined

const onChildProcess = (message: unknown): void => {
  const { process: child } = message as { readonly process: ChildProcess }
  current = child
  /** The next call starts another process. By its end, one that could not start may have been replaced already. */
  const forget = (): void => {
    if (current !== child) return
    current = undefined
    void stop()
  }
  child.on('error', forget)
  // Not at its exit: before all its output has come, esbuild would not reject what runs.
  child.on('close', forget)
}

/** esbuild would read a named pipe for ever, and meanwhile bundle nothing else. `onProgress`: whenever esbuild asks. */
const onlyReadable = (onProgress: () => void): Plugin => ({
  name: 'wes-readable',
  setup: (own) => {
    const faultOfSettings = createSettingsCheck()
    // Hundreds of these calls arrive at once. Each, and those of the other plugins that follow, may read from a slow disk.
    const yieldInTurn = createYieldInTurn()
    // Where a module is, and where its import leads: there esbuild reads the settings before it reads the file.
    own.onResolve({ filter: /./ }, async ({ path, resolveDir }) => {
      onProgress()
      await yieldInTurn()
      if (resolveDir === '') return undefined
      const targets = path.startsWith('.') ? [resolve(resolveDir, path)] : [resolveDir, ...inPackages(resolveDir, path)]
      const fault = firstOf(targets, faultOfSettings)
      return fault === undefined ? undefined : { errors: [{ text: fault.message }] }
    })
    own.onLoad({ filter: /./, namespace: 'file' }, async ({ path }) => {
      onProgress()
      await yieldInTurn()
      const fault = whyNotReadable(statOf(path)) ?? whyOtherCase(path)
      return fault === undefined ? undefined : { errors: [{ text: `What this imports ${fault}` }] }
    })
  },
})

/** Bundling takes seconds at most between two questions of esbuild, also of large projects. */
const LONGEST_SILENCE_S = 60
const NO_PROGRESS =
  'cannot be bundled: the bundler has made no progress for a minute. A file that it reads may never end, as a named pipe, or a package may nest its code thousands of levels deep'

/** Rejects if esbuild's process cannot start, or ends, or if it would not end. */
export const build: typeof bundle = async (options) => {
  const folder = options.absWorkingDir ?? process.cwd()
  const fault = createSettingsCheck()(folder)
  if (fault !== undefined) throw fault
  let silence = 0
  const onProgress = () => {
    silence = 0
  }
  subscribe('child_process', onChildProcess)
  let building: ReturnType<typeof bundle<typeof options>>
  try {
    building = bundle({ ...options, plugins: [onlyReadable(onProgress), ...(options.plugins ?? [])] })
  } catch (error) {
    throw new Error('the process that bundles could not start', { cause: error })
  } finally {
    unsubscribe('child_process', onChildProcess)
  }
  const working = current
  let isStuck = false
  // Counts, so that the time that a machine sleeps is none.
  const watch = setInterval(() => {
    silence += 1
    if (silence < LONGEST_SILENCE_S) return
    isStuck = true
    working?.kill('SIGKILL')
  }, 1_000)
  try {
    return await building
  } catch (error) {
    throw isStuck ? new CannotBundle(folder, NO_PROGRESS) : error
  } finally {
    clearInterval(watch)
  }
}
