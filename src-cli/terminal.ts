// The output of commands. Commands write to this, never to the process's streams.

import type { WriteStream } from 'node:tty'
import { CommandFailure, printFailure } from './failures.ts'
import { reasonOf } from './reason-of.ts'
import { harmless } from './text.ts'

export type Terminal = {
  /** For results. Settles when the text is written, or cannot be. */
  out(text: string): Promise<void>
  /** For errors and hints. */
  err(text: string): void
  /** The width of the terminal; undefined if `out` is a file or a pipe. */
  readonly columns: number | undefined
  /** The same of `err`. */
  readonly errColumns: number | undefined
  readonly outColour: boolean
  readonly errColour: boolean
  /** Whether to print hints: only in a terminal. */
  readonly hints: boolean
}

type Stream = NodeJS.WriteStream & Partial<Pick<WriteStream, 'columns'>>

export const processTerminal = (stdout: Stream, stderr: Stream, env: NodeJS.ProcessEnv): Terminal => {
  const colour = (stream: Stream): boolean => stream.isTTY && !env['NO_COLOR'] && env['TERM'] !== 'dumb'
  const columns = (stream: Stream): number | undefined => (stream.isTTY ? stream.columns || 80 : undefined)
  // JSON is printed as the service sent it; what others sent to the service may be in it.
  const shown = (stream: Stream, text: string): string => (stream.isTTY ? harmless(text) : text)
  return {
    out: (text) => new Promise((resolve) => void stdout.write(shown(stdout, text), () => resolve())),
    err: (text) => void stderr.write(shown(stderr, text)),
    columns: columns(stdout),
    errColumns: columns(stderr),
    outColour: colour(stdout),
    errColour: colour(stderr),
    hints: stderr.isTTY,
  }
}

/** Ends a command whose output cannot be written. A reader that closes its pipe, as in `wes executions | head`, is no error. */
export const endUnwritten =
  (stderr: NodeJS.WritableStream, exit: (code?: number) => void) =>
  (error: NodeJS.ErrnoException): void => {
    if (error.code === 'EPIPE') return exit()
    const failure = new CommandFailure('output_unwritable', `the output cannot be written: ${reasonOf(error)}`)
    stderr.write(printFailure(failure).text)
    exit(1)
  }

/** How much of the output of a command that serves others may wait for its reader. What comes then is dropped. */
const UNREAD_BYTES = 1024 ** 2

type PipeHandle = { setBlocking?(isBlocking: boolean): unknown }

/** A pipe that nobody reads would otherwise stop the whole process at the write that fills it. */
export const neverWaitForReader = (stream: NodeJS.WriteStream): void => {
  if (stream.isTTY) return
  const { _handle: handle } = stream as { readonly _handle?: PipeHandle }
  const write = stream.write.bind(stream) as (...given: unknown[]) => boolean
  const writeOrDrop = (...given: unknown[]): boolean => {
    if (stream.writableLength > UNREAD_BYTES) {
      const settle = given.at(-1)
      if (typeof settle === 'function') (settle as () => void)()
      return false
    }
    // Each start of a child process that shares the pipe makes it block again.
    handle?.setBlocking?.(false)
    return write(...given)
  }
  stream.write = writeOrDrop
}
