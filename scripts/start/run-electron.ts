// The desktop app as a child process, and whether it came up at all.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { constants } from 'node:os'
import type { Wish } from './read-wish.ts'

export type ElectronRun =
  | { readonly kind: 'ended'; readonly exitCode: number }
  /** It never came up: a library is missing, the sandbox is forbidden, the display is gone. */
  | { readonly kind: 'failed'; readonly why: string }

type Command = {
  readonly executable: string
  readonly args: readonly string[]
  readonly env: Readonly<Record<string, string | undefined>>
  readonly folder: string
}

const STOP_SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const
/** What dies sooner never came up. */
const EARLY_MS = 5_000

/** How a wish reaches the app; src-main/launch-environment.ts reads it. */
export const launchEnvironment = ({
  port,
  project,
}: Pick<Wish, 'port' | 'project'>): Readonly<Record<string, string>> => ({
  ...(port !== undefined && { WES_PORT: String(port) }),
  ...(project !== undefined && { WES_PROJECT_FOLDER: project }),
})

type Signals = Pick<NodeJS.Process, 'on' | 'off'>

export const runElectron = async (command: Command, signals: Signals = process): Promise<ElectronRun> => {
  const startedAt = performance.now()
  // Set in the terminals of some editors: it would make a plain Node of it.
  const { ELECTRON_RUN_AS_NODE: _, ...env } = command.env
  // In a group of its own, because its second signal would end it at once: a Ctrl-C reaches it through us alone.
  const detached = process.platform !== 'win32'
  const child = spawn(command.executable, command.args, { cwd: command.folder, env, stdio: 'inherit', detached })
  let stopAsked = false
  const passOn = (signal: NodeJS.Signals): void => {
    stopAsked = true
    child.kill(signal)
  }
  for (const signal of STOP_SIGNALS) signals.on(signal, passOn)
  try {
    const [code, signal] = (await once(child, 'exit')) as [number | null, NodeJS.Signals | null]
    return classifyExit({ code, signal, stopAsked, ranMs: performance.now() - startedAt })
  } catch (error) {
    return { kind: 'failed', why: `Electron cannot be started (${error instanceof Error ? error.message : 'unknown'})` }
  } finally {
    for (const signal of STOP_SIGNALS) signals.off(signal, passOn)
  }
}

type Exit = {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
  readonly stopAsked: boolean
  readonly ranMs: number
}

/** Exit code 1 is the app's own: it has said why in a dialog. */
export const classifyExit = ({ code, signal, stopAsked, ranMs }: Exit): ElectronRun => {
  if (stopAsked) return { kind: 'ended', exitCode: code ?? 0 }
  if (ranMs < EARLY_MS && (signal !== null || (code ?? 0) > 1)) {
    return { kind: 'failed', why: `Electron stopped at once (${signal ?? `exit code ${code}`})` }
  }
  return { kind: 'ended', exitCode: signal === null ? (code ?? 0) : 128 + constants.signals[signal] }
}
