// Starts a program host as a child process.

import type { ForkOptions } from 'node:child_process'
import { existsSync } from 'node:fs'
import { constants, setPriority } from 'node:os'
import { extname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { nodeFork, type Fork, type ForkedProcess } from '../shared/fork.ts'
import type { HostRole } from './turn-watches.ts'
import { BOOT_FOLDER } from './host-parts.ts'
import { createPieceSender, joinPieces, type Piece } from './pieces.ts'
import type { TurnBudgets } from './pool-limits.ts'
import type { ToHost } from './protocol.ts'
import { messageOf } from '../shared/message-of.ts'

/** A running host process. The listener checks its messages. */
export type HostProcess = {
  /** 0 until it has started. */
  readonly pid: number
  send(message: ToHost): void
  /** Sends it in pieces, so that what is sent meanwhile need not wait for all of it. */
  sendLarge(message: ToHost): void
  onMessage(listener: (message: unknown) => void): void
  /** Each listener is called once, however the process ended, with its stderr output for the log. */
  onExit(listener: (reason: string) => void): void
  /** Kills the process at once; it cannot prevent that. */
  kill(): void
}

export type SpawnHost = (role: HostRole, budgets: TurnBudgets) => HostProcess

const HEAP_MIB = 256
/**
 * V8 lets new objects take three times this much before it collects them. By default it is 16 MiB, which a host that
 * parks many Executions fills with their ids and messages, and keeps.
 */
const YOUNG_HALF_MIB = 2
const LONGEST_COMPLAINT = 2000
/** Enough for the recursion that the guest's stack limit allows. */
const NATIVE_STACK_KB = 3900

const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url))
/** The folder of a package, given the URL of one of its files. */
const packageOf = (url: string, up: './' | '../'): string => fileURLToPath(new URL(up, url))

/** `.ts` in the sources, `.js` in a build. */
const ENDING = extname(import.meta.filename)

/** The only files that a host may read: those of the folders that it may import from, and the source map reader. */
const readable = (): readonly string[] => [
  here('.'),
  here('../shared/'),
  here('../../package.json'),
  ...(existsSync(BOOT_FOLDER) ? [] : [packageOf(import.meta.resolve('quickjs-wasi/package.json'), './')]),
  packageOf(import.meta.resolve('@jridgewell/trace-mapping'), '../'),
  packageOf(import.meta.resolve('@jridgewell/sourcemap-codec'), '../'),
  packageOf(import.meta.resolve('@jridgewell/resolve-uri'), '../'),
]

/** A bundle of `wes` holds V8's code of the host, which V8 takes only with the same flags. */
export const V8_FLAGS: readonly string[] = [
  `--max-old-space-size=${HEAP_MIB}`,
  `--max-semi-space-size=${YOUNG_HALF_MIB}`,
  `--stack-size=${NATIVE_STACK_KB}`,
  '--disallow-code-generation-from-strings',
  '--expose-gc',
]

let knownFlags: readonly string[] | undefined

const flags = (): readonly string[] => (knownFlags ??= makeFlags())

const makeFlags = (): readonly string[] => [
  '--permission',
  ...readable().map((path) => `--allow-fs-read=${path}`),
  ...V8_FLAGS,
  '--no-addons',
  '--no-warnings',
]

/** In a bundle of `wes`; see start-host-script.ts. */
const SCRIPT_ENTRY = join(import.meta.dirname, 'host-main.cjs')
/** Beside this module, in the sources and in a build. */
const ENTRY = existsSync(SCRIPT_ENTRY) ? SCRIPT_ENTRY : join(import.meta.dirname, `host-main${ENDING}`)

/** Stands for a process that the system refused to start. */
const notStarted = (reason: string): HostProcess => ({
  pid: 0,
  send: () => {},
  sendLarge: () => {},
  onMessage: () => {},
  onExit: (listener) => queueMicrotask(() => listener(reason)),
  kill: () => {},
})

/** `runtime`: this process. A host whose code does not poll notices neither its end nor a signal, so it is killed then. */
export const spawnHostWith = (fork: Fork, runtime: Pick<NodeJS.EventEmitter, 'on' | 'off'> = process): SpawnHost => {
  const living = new Set<ForkedProcess>()
  const killAll = (): void => {
    for (const child of living) child.kill('SIGKILL')
  }
  return (role, budgets) => {
    const options: ForkOptions = {
      execArgv: [...flags()],
      env: { TZ: 'UTC' },
      serialization: 'advanced',
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    }
    let child: ForkedProcess
    try {
      child = fork.start(ENTRY, [role, JSON.stringify(budgets)], options)
    } catch (error) {
      // Node throws some errors of the system, such as ENOMEM, and emits others.
      return notStarted(messageOf(error))
    }
    if (living.size === 0) runtime.on('exit', killAll)
    living.add(child)
    if (role === 'alone') child.on('spawn', () => lowerPriority(child.pid))
    let complaint = ''
    child.stderr?.on('data', (bytes: Buffer) => {
      if (complaint.length < LONGEST_COMPLAINT) complaint += bytes.toString('utf8').slice(0, LONGEST_COMPLAINT)
    })
    // Messages that arrive before there is a listener.
    const early: unknown[] = []
    let receive = (message: unknown): void => void early.push(message)
    child.on(
      'message',
      joinPieces((message) => receive(message)),
    )
    const send = (message: ToHost | Piece, sent: () => void): void => {
      // If the host just died, `onExit` reports it; ignore the failed send.
      if (child.connected) child.send(message, sent)
    }
    let ended: string | undefined
    const onEnded: ((reason: string) => void)[] = []
    const end = (reason: string): void => {
      if (ended !== undefined) return
      ended = reason
      living.delete(child)
      if (living.size === 0) runtime.off('exit', killAll)
      for (const listener of onEnded) listener(reason)
    }
    child.on('error', (error) => end(error.message))
    child.on('exit', (code, signal) => end(`${signal ?? `exit code ${code ?? 'unknown'}`}\n${complaint}`.trimEnd()))
    return {
      get pid() {
        return child.pid ?? 0
      },
      send: (message) => send(message, () => {}),
      sendLarge: createPieceSender(send),
      onMessage: (listener) => {
        receive = listener
        queueMicrotask(() => {
          for (const message of early.splice(0)) listener(message)
        })
      },
      onExit: (listener) => {
        const reason = ended
        if (reason === undefined) onEnded.push(listener)
        else queueMicrotask(() => listener(reason))
      },
      kill: () => {
        child.kill('SIGKILL')
      },
    }
  }
}

export const spawnHost = spawnHostWith(nodeFork)

const lowerPriority = (pid: number | undefined): void => {
  if (pid === undefined) return
  try {
    setPriority(pid, constants.priority.PRIORITY_BELOW_NORMAL)
  } catch {
    // The process has ended, or the system forbids it: then it keeps the normal priority.
  }
}
