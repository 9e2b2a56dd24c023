// How an effect host comes to be.

import { getCompileCacheDir } from 'node:module'
import { dirname, extname, join } from 'node:path'
import type { Readable } from 'node:stream'
import { nodeFork, type Fork } from '../shared/fork.ts'
import type { ToHost } from './messages.ts'

/** One child process that runs `effect-host`. */
export type EffectHostProcess = {
  readonly pid: number | undefined
  send(batch: readonly ToHost[]): void
  /** At once, and with it what it started. */
  kill(): void
}

export type EffectHostEvents = {
  /** Unchecked. */
  onMessage(message: unknown): void
  /** What it prints. */
  onOutput(stream: 'stdout' | 'stderr', text: string): void
  /** Once, and last. `error`: it could not be started. */
  onExit(exit: EffectHostExit): void
}

export type EffectHostExit = {
  readonly code: number | null
  readonly signal: string | null
  readonly error?: Error
}

export type SpawnEffectHost = (
  options: {
    /** The working directory. Exists. */
    readonly folder: string
    /** All of it. */
    readonly environment: Readonly<Record<string, string>>
    readonly heapMb: number
  },
  events: EffectHostEvents,
) => EffectHostProcess

/** Beside this module, in the sources as in a bundle. */
const ENTRY = join(import.meta.dirname, `effect-host${extname(import.meta.filename)}`)

/**
 * A group of its own: what an effect started ends with its host, and Ctrl-C in the terminal, which all processes in
 * the foreground hear, does not fail attempts that the runtime is about to park.
 */
const GROUP = '--leads-group'

export const forkEffectHostWith =
  (fork: Fork): SpawnEffectHost =>
  ({ folder, environment, heapMb }, events) => {
    const leadsGroup = fork.makesGroups
    const child = fork.start(ENTRY, leadsGroup ? [GROUP] : [], {
      cwd: folder,
      env: { ...compileCache(), ...environment },
      execArgv: [`--max-old-space-size=${heapMb}`],
      serialization: 'advanced',
      detached: leadsGroup,
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
      windowsHide: true,
    })
    let over = false
    let lastCall: NodeJS.Timeout | undefined
    const exit = (how: EffectHostExit) => {
      clearTimeout(lastCall)
      if (over) return
      over = true
      events.onExit(how)
    }
    child.on('message', (message: unknown) => events.onMessage(message))
    // `close` comes once all that it printed has arrived, unless a grandchild holds the pipes: then it never comes.
    child.on('close', (code, signal) => exit({ code, signal }))
    child.on('exit', (code, signal) => {
      if (leadsGroup) killGroup(child.pid)
      lastCall = setTimeout(() => setImmediate(exit, { code, signal }), OUTPUT_MAY_FOLLOW_MS)
    })
    child.on('error', (error) => {
      if (child.pid === undefined) exit({ code: null, signal: null, error })
    })
    listen(child.stdout, (text) => events.onOutput('stdout', text))
    listen(child.stderr, (text) => events.onOutput('stderr', text))
    return {
      get pid() {
        return child.pid
      },
      send: (batch) => {
        // What cannot be sent is known by the exit.
        if (child.connected) child.send(batch, () => undefined)
      },
      kill: () => {
        if (child.exitCode !== null || child.signalCode !== null) return
        if (!leadsGroup || !killGroup(child.pid)) child.kill('SIGKILL')
      },
    }
  }

export const forkEffectHost = forkEffectHostWith(nodeFork)

const OUTPUT_MAY_FOLLOW_MS = 500

/** The runtime's, if it has one: it spares a host, and whatever the project depends on, half of the start-up. */
const compileCache = (): Readonly<Record<string, string>> => {
  const directory = getCompileCacheDir()
  return directory === undefined ? {} : { NODE_COMPILE_CACHE: dirname(directory) }
}

const listen = (stream: Readable | null, onText: (text: string) => void): void => {
  stream?.setEncoding('utf8').on('data', onText)
}

const killGroup = (leader: number | undefined): boolean => {
  if (leader === undefined) return false
  try {
    return process.kill(-leader, 'SIGKILL')
  } catch {
    return false
  }
}
