// The log of one attempt, within limits.

import { Console } from 'node:console'
import { StringDecoder } from 'node:string_decoder'
import type { EffectLog } from '../effect-performer.ts'
import type { EffectHostLimits } from '../effect-host-limits.ts'
import { Buffer, byteLength } from './built-ins.ts'

export type AttemptLog = {
  add(level: EffectLog['level'], message: string): void
  /** Output as it comes, which may end within a character; each whole line is an entry. */
  print(level: EffectLog['level'], output: Uint8Array): void
  /** A `console` for this attempt, with groups, counts and timers of its own. */
  console(level: EffectLog['level']): Console
  /** Writes the remaining output. */
  close(): void
}

export const createAttemptLog = (
  limits: Pick<EffectHostLimits, 'logEntries' | 'logBytes'>,
  write: (entry: EffectLog) => void,
): AttemptLog => {
  let entries = 0
  let bytes = 0
  let dropped = 0
  let level: EffectLog['level'] = 'info'
  let ownConsole: Console | undefined
  /** Lines that have not ended yet, by level. */
  const unfinished = new Map<EffectLog['level'], string>()
  const decoders = new Map<EffectLog['level'], StringDecoder>()

  const add: AttemptLog['add'] = (entryLevel, message) => {
    const left = limits.logBytes - bytes
    if (dropped > 0 || entries >= limits.logEntries || left <= 0) {
      dropped += 1
      return
    }
    entries += 1
    const size = byteLength(message)
    bytes += size
    write({ level: entryLevel, message: size > left ? `${truncated(message, left)} … (cut)` : message })
  }

  const print: AttemptLog['print'] = (printLevel, output) => {
    const decoder = decoders.get(printLevel) ?? new StringDecoder()
    decoders.set(printLevel, decoder)
    const text = decoder.write(output)
    if (text === '') return
    const before = unfinished.get(printLevel) ?? ''
    // A progress bar prints one character at a time: a look at the whole line for each would block the process.
    if (before.length + text.length <= limits.logBytes && !text.includes('\n')) {
      unfinished.set(printLevel, before + text)
      return
    }
    const lines = (before + text).split('\n')
    // A line that never ends must not grow for ever.
    const rest = lines.at(-1)!.length > limits.logBytes ? '' : lines.pop()!
    for (const line of lines) add(printLevel, line)
    if (rest === '') unfinished.delete(printLevel)
    else unfinished.set(printLevel, rest)
  }

  return {
    add,
    print,
    console: (callLevel) => {
      level = callLevel
      ownConsole ??= consoleOver((text) => add(level, text.endsWith('\n') ? text.slice(0, -1) : text))
      return ownConsole
    },
    close: () => {
      for (const [printLevel, text] of unfinished) add(printLevel, text)
      unfinished.clear()
      if (dropped > 0) write({ level: 'warn', message: `${dropped} more log entries were dropped` })
    },
  }
}

/** Without colours, and each call in one piece. */
const consoleOver = (write: (text: string) => void): Console => {
  const stream = { write } as unknown as NodeJS.WritableStream
  return new Console({ stdout: stream, stderr: stream, ignoreErrors: false, colorMode: false })
}

/** Of whole characters. */
const truncated = (text: string, bytes: number): string =>
  new StringDecoder().write(Buffer.from(text).subarray(0, bytes))
