// How the runtime's child processes come to be: Node's own `fork`, unless the home of the runtime has another way.

import { fork, type ForkOptions } from 'node:child_process'
import type { Readable } from 'node:stream'

/** Runs Programs, effects, or the schemas of a project's source. */
export type ChildRole = 'programs' | 'effects' | 'schemas'

/** What the runtime uses of a child process. */
export type ForkedProcess = {
  /** Undefined until it has started, where that takes a while, and when it could not be. */
  readonly pid?: number | undefined
  readonly connected: boolean
  readonly exitCode: number | null
  readonly signalCode: string | null
  readonly stdout: Readable | null
  readonly stderr: Readable | null
  /** Its line to this process, where that would keep this process alive. */
  readonly channel?: { unref(): void } | null | undefined
  send(message: object, sent: () => void): unknown
  kill(signal: 'SIGKILL'): unknown
  unref(): unknown
  on(event: 'message', listener: (message: unknown) => void): unknown
  on(event: 'spawn', listener: () => void): unknown
  on(event: 'error', listener: (error: Error) => void): unknown
  on(event: 'exit' | 'close', listener: (code: number | null, signal: string | null) => void): unknown
}

export type Fork = {
  /** Whether a `detached` child leads a group of its own, so that what it starts ends with it. */
  readonly makesGroups: boolean
  /** Whether Node's `--permission` holds for its children. */
  readonly takesPermissions: boolean
  start(file: string, args: readonly string[], options: ForkOptions): ForkedProcess
}

export type Forks = Readonly<Partial<Record<ChildRole, Fork>>>

export const nodeFork: Fork = {
  makesGroups: process.platform !== 'win32',
  takesPermissions: true,
  start: (file, args, options) => fork(file, args, options),
}
