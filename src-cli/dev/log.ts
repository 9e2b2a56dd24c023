// The runtime's log on standard error: JSON lines, or readable lines in a terminal.

import pino, { type Logger } from 'pino'
import { LOG_LINES } from '#runtime/shared/log-lines.ts'
import { printable } from '../text.ts'

export type LogLevel = 'fatal' | 'error' | 'warn' | 'info' | 'debug' | 'trace' | 'silent'

type LogStream = { readonly isTTY?: boolean; write(text: string): unknown }

export const createLog = (level: LogLevel, stream: LogStream): Logger =>
  pino(
    { ...LOG_LINES, level },
    // To the stream, not to its descriptor: a closed pipe is then an error of the stream, which is ignored.
    { write: (line) => void stream.write(stream.isTTY === true ? readable(line) : line) },
  )

/** `10:15:03 warn  something happened {"port":3477}` and below it the stack of an error. */
export const readable = (line: string): string => {
  const { level, time, msg, err, ...rest } = JSON.parse(line) as Readonly<Record<string, unknown>>
  const clock = typeof time === 'string' ? new Date(time).toTimeString().slice(0, 8) : ''
  const members = Object.keys(rest).length === 0 ? '' : ` ${JSON.stringify(rest)}`
  const error = (err ?? {}) as { readonly stack?: unknown; readonly message?: unknown }
  const cause =
    typeof error.stack === 'string' ? `\n${error.stack}` : typeof error.message === 'string' ? `: ${error.message}` : ''
  const message = typeof msg === 'string' ? msg : ''
  return `${clock} ${String(level).padEnd(5)} ${printable(message + members + cause)}\n`
}
