// Starts an effect host.

import { randomUUID } from 'node:crypto'
import { getCompileCacheDir } from 'node:module'
import { dirname, extname, join } from 'node:path'
import type { Readable } from 'node:stream'
import { nodeFork, type Fork, type ForkedProcess } from '../shared/fork.ts'
import { killMarked, MARK } from '../shared/started-processes.ts'
import { killWithDescendants } from './kill-with-descendants.ts'
import type { ToHost } from './messages.ts'

/** One child process that runs `effect-host`. */
export type EffectHostProcess = {
  readonly pid: number | undefined
  send(batch: readonly ToHost[]): void
  /** Kills the process and those that it started, at once. */
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
 * The host leads a process group. So processes that an effect started end with the host, and Ctrl-C in the terminal,
 * which signals all foreground processes, does not fail running attempts.
 */
const GROUP = '--leads-group'

/** `run`: the id of this run of the runtime. The next one ends what the hosts of a killed one have left. */
export const forkEffectHostWith =
  (fork: Fork, run: string = randomUUID()): SpawnEffectHost =>
  ({ folder, environment, heapMb }, events) => {
    const mark = `${run}.${randomUUID()}`
    const leadsGroup = fork.makesGroups
    const child = fork.start(ENTRY, leadsGroup ? [GROUP] : [], {
      cwd: folder,
      env: { ...compileCache(), ...environment, [MARK]: mark },
      execArgv: [`--max-old-space-size=${heapMb}`],
      serialization: 'advanced',
      detached: leadsGroup,
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
      windowsHide: true,
    })
    child.on('message', (message: unknown) => events.onMessage(message))
    child.on('exit', (code) => {
      if (leadsGroup) killGroup(child.pid)
      // One that ends by itself has done this before. To look at all processes takes this one some milliseconds.
      if (code !== 0) killMarked(mark)
    })
    const exit = onceEnded(child, events.onExit)
    child.on('error', (error) => {
      if (child.pid === undefined) exit({ code: null, signal: null, error: startProblem(error, folder) })
    })
    listen(child.stdout, (text) => events.onOutput('stdout', text))
    listen(child.stderr, (text) => events.onOutput('stderr', text))
    return {
      get pid() {
        return child.pid
      },
      send: (batch) => {
        // If sending fails, `onExit` reports it.
        if (child.connected) child.send(batch, () => undefined)
      },
      kill: () => {
        if (child.exitCode !== null || child.signalCode !== null) return
        // Its group also has those that have lost the mark, and whose parent has ended.
        killWithDescendants(child, mark)
        if (leadsGroup) killGroup(child.pid)
      },
    }
  }

export const forkEffectHost = forkEffectHostWith(nodeFork)

const OUTPUT_MAY_FOLLOW_MS = 500

/** Calls back once: when the process has ended and its output was read, or when the returned function is called. */
export const onceEnded = (
  child: Pick<ForkedProcess, 'on'>,
  onExit: EffectHostEvents['onExit'],
): EffectHostEvents['onExit'] => {
  let isOver = false
  let lastCall: NodeJS.Timeout | undefined
  const exit = (how: EffectHostExit): void => {
    clearTimeout(lastCall)
    if (isOver) return
    isOver = true
    onExit(how)
  }
  // `close` comes after all output, but never if a grandchild holds the pipes open.
  child.on('close', (code, signal) => exit({ code, signal }))
  child.on('exit', (code, signal) => {
    lastCall = setTimeout(() => setImmediate(exit, { code, signal }), OUTPUT_MAY_FOLLOW_MS)
  })
  return exit
}

/** Windows starts no process in a folder with a longer path, and Node reports that its executable is missing. */
const LONGEST_ON_WINDOWS = 257

export const startProblem = (error: Error, folder: string, platform: NodeJS.Platform = process.platform): Error =>
  platform === 'win32' && folder.length > LONGEST_ON_WINDOWS
    ? new Error(
        `the path of the project’s folder has ${folder.length} characters, and Windows starts no process in a folder with more than ${LONGEST_ON_WINDOWS}: move the project`,
        { cause: error },
      )
    : error

/**
 * The runtime's compile cache, if it has one: it halves the start-up time of a host and of the project's dependencies.
 */
const compileCache = (): Readonly<Record<string, string>> => {
  const directory = getCompileCacheDir()
  return directory === undefined ? {} : { NODE_COMPILE_CACHE: dirname(directory) }
}

const listen = (stream: Readable | null, onText: (text: string) => void): void => {
  stream?.setEncoding('utf8').on('data', onText)
}

const killGroup = (leader: number | undefined): void => {
  if (leader === undefined) return
  try {
    process.kill(-leader, 'SIGKILL')
  } catch {
    // None of it is left.
  }
}
