// Calls esbuild, which starts a process with the first call, and keeps it. Without the listeners here, Node ends the whole
// runtime when the system starts no process, and every later call fails when the process was killed.

import type { ChildProcess } from 'node:child_process'
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { dirname, join, resolve } from 'node:path'
import { build as bundle, stop, type Plugin } from 'esbuild'
import { statOf } from '../shared/stat-of.ts'
import { createYieldInTurn } from '../shared/yield-to-event-loop.ts'
import { whyNotReadable } from './source-files.ts'

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

/** esbuild would read a named pipe for ever, and meanwhile bundle nothing else. */
const onlyReadable: Plugin = {
  name: 'wes-readable',
  setup: (own) => {
    /** Folders without a fault. Those above them have none either. */
    const checked = new Set<string>()
    // Hundreds of these calls arrive at once. Each, and those of the other plugins that follow, may read from a slow disk.
    const yieldInTurn = createYieldInTurn()
    // Where a module is, and where its import leads: there esbuild reads the settings before it reads the file.
    own.onResolve({ filter: /./ }, async ({ path, resolveDir }) => {
      await yieldInTurn()
      if (resolveDir === '') return undefined
      const target = path.startsWith('.') ? resolve(resolveDir, path) : resolveDir
      const fault = faultOfSettings(target, checked)
      return fault === undefined ? undefined : { errors: [{ text: fault }] }
    })
    own.onLoad({ filter: /./, namespace: 'file' }, async ({ path }) => {
      await yieldInTurn()
      const fault = whyNotReadable(statOf(path))
      return fault === undefined ? undefined : { errors: [{ text: `What this imports ${fault}` }] }
    })
  },
}

/** esbuild reads them itself, in the folders of modules and all above. */
const SETTINGS = ['package.json', 'tsconfig.json', 'jsconfig.json']

/** Why those in a folder or above it must not be read. */
const faultOfSettings = (folder: string, checked: Set<string>): string | undefined => {
  if (checked.has(folder)) return undefined
  for (const name of SETTINGS) {
    const file = join(folder, name)
    const fault = whyNotReadable(statOf(file))
    if (fault !== undefined) return `${file} ${fault}`
  }
  const above = dirname(folder)
  const fault = above === folder ? undefined : faultOfSettings(above, checked)
  if (fault === undefined) checked.add(folder)
  return fault
}

/** Rejects if esbuild's process cannot start, or ends, or if it would not end. */
export const build: typeof bundle = async (options) => {
  const fault = faultOfSettings(options.absWorkingDir ?? process.cwd(), new Set())
  if (fault !== undefined) throw new Error(fault)
  subscribe('child_process', onChildProcess)
  let building: ReturnType<typeof bundle<typeof options>>
  try {
    building = bundle({ ...options, plugins: [onlyReadable, ...(options.plugins ?? [])] })
  } catch (error) {
    throw new Error('the process that bundles could not start', { cause: error })
  } finally {
    unsubscribe('child_process', onChildProcess)
  }
  return building
}
