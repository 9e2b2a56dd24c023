// How the runtime starts child processes: with Node's `fork`, or as the desktop app does.

import { fork, type ForkOptions } from 'node:child_process'
import type { Readable } from 'node:stream'

/** What the child runs: Programs, effects, the schemas of a project's source, or the upgrade of a database of an older version. */
export type ChildRole = 'programs' | 'effects' | 'schemas' | 'upgrade'

/** The part of a child process that the runtime uses. */
export type ForkedProcess = {
  /** Undefined before the process has started, and if it could not start. */
  readonly pid?: number | undefined
  readonly connected: boolean
  readonly exitCode: number | null
  readonly signalCode: string | null
  readonly stdout: Readable | null
  readonly stderr: Readable | null
  /** The IPC channel, if it would keep this process alive. */
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
  /** Whether a `detached` child leads a process group, so that the processes it starts end with it. */
  readonly makesGroups: boolean
  /** Whether Node's `--permission` works for the children. */
  readonly takesPermissions: boolean
  start(file: string, args: readonly string[], options: ForkOptions): ForkedProcess
}

export type Forks = Readonly<Partial<Record<ChildRole, Fork>>>

export const nodeFork: Fork = {
  makesGroups: process.platform !== 'win32',
  takesPermissions: true,
  start: (file, args, options) => fork(file, args, options),
}
