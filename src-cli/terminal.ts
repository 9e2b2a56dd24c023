// Where a command's words go. Commands write through this, and never to the process's streams.

import type { WriteStream } from 'node:tty'

export type Terminal = {
  /** Answers. Settles when more may be written. */
  out(text: string): Promise<void>
  /** Errors and hints. */
  err(text: string): void
  /** Columns of the terminal behind `out`; undefined when it is a file or a pipe. */
  readonly columns: number | undefined
  readonly outColour: boolean
  readonly errColour: boolean
  /** Whether somebody reads along, so that hints are welcome. */
  readonly hints: boolean
}

type Stream = NodeJS.WriteStream & Partial<Pick<WriteStream, 'columns'>>

export const processTerminal = (stdout: Stream, stderr: Stream, env: NodeJS.ProcessEnv): Terminal => {
  const colour = (stream: Stream): boolean => stream.isTTY && !env['NO_COLOR'] && env['TERM'] !== 'dumb'
  return {
    out: (text) =>
      new Promise((resolve) => {
        if (stdout.write(text)) resolve()
        else stdout.once('drain', resolve)
      }),
    err: (text) => void stderr.write(text),
    columns: stdout.isTTY ? stdout.columns || 80 : undefined,
    outColour: colour(stdout),
    errColour: colour(stderr),
    hints: stderr.isTTY,
  }
}

/** The reader is gone (`wes executions | head`): that is no failure, and nobody is left to tell. */
export const quietBrokenPipes = (streams: readonly NodeJS.WriteStream[], onBroken: () => void): void => {
  for (const stream of streams) {
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE') throw error
      onBroken()
    })
  }
}
