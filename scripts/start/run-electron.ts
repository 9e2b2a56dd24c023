// Runs the desktop app as a child process, and reports whether it started.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { constants } from 'node:os'
import { npmIsGone } from '../../src-cli/dev/stop-request.ts'
import { askToStop, stopChannel } from './ask-to-stop.ts'
import type { StartOptions } from './start-options.ts'

export type ElectronRun =
  | { readonly kind: 'ended'; readonly exitCode: number }
  /** It did not start: a library is missing, the sandbox is forbidden, or there is no display. */
  | { readonly kind: 'failed'; readonly why: string }

type Command = {
  readonly executable: string
  readonly args: readonly string[]
  readonly env: Readonly<Record<string, string | undefined>>
  readonly folder: string
  /** Whether it stops when it gets the message for that, as the app does. */
  readonly takesMessages: boolean
}

const STOP_SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGBREAK'] as const
/** An app that ends sooner has not started. */
const EARLY_MS = 5_000

/** Passes the options to the app, where src-main/launch-environment.ts reads them. */
export const launchEnvironment = ({
  port,
  project,
}: Pick<StartOptions, 'port' | 'project'>): Readonly<Record<string, string>> => ({
  ...(port !== undefined && { WES_PORT: String(port) }),
  ...(project !== undefined && { WES_PROJECT_FOLDER: project }),
})

type System = {
  readonly platform: NodeJS.Platform
  readonly signals: Pick<NodeJS.Process, 'on' | 'off'>
  /** Settles when npm, which started this process, is gone. */
  readonly npmIsGone: Promise<void>
}

const ownSystem = (): System => ({ platform: process.platform, signals: process, npmIsGone: npmIsGone(process) })

export const runElectron = async (command: Command, system: System = ownSystem()): Promise<ElectronRun> => {
  const { platform, signals } = system
  const startedAt = performance.now()
  // Some editors set it in their terminals; Electron would run as Node.
  const { ELECTRON_RUN_AS_NODE: _, ...env } = command.env
  let stopRequested = false
  const passOn = (signal: NodeJS.Signals): void => {
    stopRequested = true
    askToStop(child, signal, platform)
  }
  // Before the app runs: a signal that nobody listens for ends this process, and the app would stay.
  for (const signal of STOP_SIGNALS) signals.on(signal, passOn)
  // In its own process group, so that it gets a Ctrl-C only from us: a second signal would end it at once.
  const detached = platform !== 'win32'
  const child = spawn(command.executable, command.args, {
    cwd: command.folder,
    env,
    stdio: ['inherit', 'inherit', 'inherit', ...(command.takesMessages ? stopChannel(platform) : [])],
    detached,
  })
  void system.npmIsGone.then(() => passOn('SIGTERM'))
  try {
    const [code, signal] = (await once(child, 'exit')) as [number | null, NodeJS.Signals | null]
    return classifyExit({ code, signal, stopRequested, ranMs: performance.now() - startedAt })
  } catch (error) {
    return { kind: 'failed', why: `Electron cannot be started (${error instanceof Error ? error.message : 'unknown'})` }
  } finally {
    for (const signal of STOP_SIGNALS) signals.off(signal, passOn)
  }
}

type Exit = {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
  readonly stopRequested: boolean
  readonly ranMs: number
}

/** Exit code 1 comes from the app itself, which has shown the reason in a dialog. */
export const classifyExit = ({ code, signal, stopRequested, ranMs }: Exit): ElectronRun => {
  if (stopRequested) return { kind: 'ended', exitCode: code ?? 0 }
  if (ranMs < EARLY_MS && (signal !== null || (code ?? 0) > 1)) {
    return { kind: 'failed', why: `Electron stopped at once (${signal ?? `exit code ${code}`})` }
  }
  return { kind: 'ended', exitCode: signal === null ? (code ?? 0) : 128 + constants.signals[signal] }
}
