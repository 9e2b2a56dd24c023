// The runtime's log on standard error: JSON lines for a collector, one readable line for each entry in a terminal.

import pino, { type Logger } from 'pino'
import { printable } from '../text.ts'

export type LogLevel = 'fatal' | 'error' | 'warn' | 'info' | 'debug' | 'trace' | 'silent'

type LogStream = { readonly isTTY?: boolean; write(text: string): unknown }

export const createLog = (level: LogLevel, stream: LogStream): Logger =>
  pino(
    { level, base: undefined },
    // Through the stream, not its descriptor: a closed pipe is then the stream's error, which is ignored.
    { write: (line) => void stream.write(stream.isTTY === true ? readable(line) : line) },
  )

const NAMES: Readonly<Record<number, string>> = {
  10: 'trace',
  20: 'debug',
  30: 'info',
  40: 'warn',
  50: 'error',
  60: 'fatal',
}

/** `10:15:03 warn  something happened {"port":3477}` and below it the stack of an error. */
export const readable = (line: string): string => {
  const { level, time, msg, err, ...rest } = JSON.parse(line) as Readonly<Record<string, unknown>>
  const clock = typeof time === 'number' ? new Date(time).toTimeString().slice(0, 8) : ''
  const members = Object.keys(rest).length === 0 ? '' : ` ${JSON.stringify(rest)}`
  const { stack, message } = (err ?? {}) as { readonly stack?: unknown; readonly message?: unknown }
  const cause = typeof stack === 'string' ? `\n${stack}` : typeof message === 'string' ? `: ${message}` : ''
  const said = typeof msg === 'string' ? msg : ''
  return `${clock} ${(NAMES[Number(level)] ?? 'log').padEnd(5)} ${printable(said + members + cause)}\n`
}
