// Creates the runtime with the app's settings. Loads the runtime's code at the first start, after the window is open.

import { app } from 'electron'
import { join } from 'node:path'
import type { Logger } from 'pino'
import { unpacked } from '../app-folders.ts'
import type { ChildProcesses } from '../hosts/child-processes.ts'
import type { UpgradeProgress } from '../../src-runtime/shared/runtime.ts'
import { startRuntimeWith, type Attempt } from './start-runtime.ts'

/** For quitting the app and restarting the runtime. Shorter than the time limit of a whole shutdown. */
export const EFFECTS_GRACE_MS = 4_000

export const createAttempt =
  (parts: {
    readonly dataDir: string
    readonly port: () => number
    readonly projectFolder: () => string | null
    readonly children: Promise<ChildProcesses>
    /** Told what is lost of what a killed runtime had stored, as a sentence without its full stop. */
    readonly onLogFault: (fault: string) => void
    readonly log: Logger
  }) =>
  async (signal: AbortSignal, onUpgradeProgress: (progress: UpgradeProgress) => void): Promise<Attempt> => {
    const { dataDir, onLogFault, log } = parts
    const { forks } = await parts.children
    if (app.isPackaged) await loadUnpackedCompiler()
    const { createRuntime } = await import('../../src-runtime/create-runtime.ts')
    const projectFolder = parts.projectFolder()
    return startRuntimeWith({ createRuntime, version: app.getVersion() })({
      dataDir,
      port: parts.port(),
      // Without a project, uploaded Programs still run.
      projectFolder: projectFolder ?? dataDir,
      trustsProject: false,
      watch: projectFolder !== null,
      forks,
      onLogFault,
      log,
      effectsGrace: { ms: EFFECTS_GRACE_MS },
      signal,
      onUpgradeProgress,
    })
  }

/** The runtime reads this path once; effects must not find it in their environment. */
const loadUnpackedCompiler = async (): Promise<void> => {
  const name = process.platform === 'win32' ? 'esbuild.exe' : 'bin/esbuild'
  const packageName = `@esbuild/${process.platform}-${process.arch}`
  process.env['ESBUILD_BINARY_PATH'] = unpacked(join(app.getAppPath(), 'node_modules', packageName, name))
  try {
    await import('esbuild')
  } finally {
    delete process.env['ESBUILD_BINARY_PATH']
  }
}
