// The logs of Programs and effects as in the history, with the service's limits.

import type { Log } from '../define-effect.ts'
import type { ConsoleTarget } from './console.ts'
import { inspectAll, inspectThrown } from './inspect.ts'
import { utf8Length, wellFormed } from './json-data.ts'
import { builtinModule } from './node-modules.ts'

const MOST_ENTRIES = 1_000
/** UTF-8 bytes. */
const MOST_BYTES = 256 * 1_024
/** Characters of one entry of a Program. */
const LONGEST_ENTRY = 64 * 1_024

type Level = keyof Log
/** Takes the JSON text of an entry. */
type Write = (data: string) => void

export type ProgramLog = {
  readonly log: Log
  readonly console: ConsoleTarget
  /** Returns the entry that tells how many of the turn were dropped, if any. The next turn has limits of its own. */
  readonly endTurn: () => string | undefined
}

const LEVELS = ['debug', 'info', 'warn', 'error'] as const

const logOver = (add: (level: Level, values: readonly unknown[]) => void): Log =>
  Object.freeze(Object.fromEntries(LEVELS.map((level) => [level, (...values: unknown[]) => add(level, values)])) as Log)

/** As src-runtime/sandbox/guest/output.js and console.js. */
export const createProgramLog = (write: Write, hasEnded: () => boolean): ProgramLog => {
  let entries = 0
  let bytes = 0
  let dropped = 0

  const add = (level: Level, values: readonly unknown[]): void => {
    if (hasEnded()) return
    if (entries >= MOST_ENTRIES || bytes >= MOST_BYTES) return void (dropped += 1)
    const text = inspectAll(values)
    const message = wellFormed(text.length > LONGEST_ENTRY ? `${text.slice(0, LONGEST_ENTRY)}…` : text)
    const data = JSON.stringify({ level, message })
    const size = utf8Length(`l${data}\n`)
    if (bytes + size > MOST_BYTES) return void (dropped += 1)
    entries += 1
    bytes += size
    write(data)
  }

  return {
    log: logOver(add),
    console: (method, values) => {
      switch (method) {
        case 'debug':
        case 'trace':
          return add('debug', values)
        case 'log':
        case 'info':
        case 'dir':
        case 'dirxml':
        case 'table':
          return add('info', values)
        case 'warn':
        case 'error':
          return add(method, values)
        case 'group':
        case 'groupCollapsed':
          return values.length === 0 ? undefined : add('info', values)
        case 'assert': {
          const [condition, ...rest] = values
          if (!condition) add('error', rest.length === 0 ? ['Assertion failed'] : ['Assertion failed:', ...rest])
        }
      }
    },
    endTurn: () => {
      const message = `${dropped} more log entries of this turn were dropped`
      const data = dropped === 0 ? undefined : JSON.stringify({ level: 'warn', message })
      entries = 0
      bytes = 0
      dropped = 0
      return data
    },
  }
}

export type AttemptLog = {
  readonly log: Log
  readonly console: ConsoleTarget
  /** Writes how many entries were dropped. Later ones are ignored. */
  readonly close: () => void
}

type Stream = { readonly write: (text: string) => void }
type NodeConsole = Readonly<Record<string, ((...values: readonly unknown[]) => void) | undefined>>
type ConsoleModule = { readonly Console: new (options: object) => NodeConsole }
type UtilModule = { readonly format: (...values: readonly unknown[]) => string }

/** As src-runtime/effects/host/attempt-log.ts and capture-output.ts, which need Node. */
export const createAttemptLog = (write: Write): AttemptLog => {
  let entries = 0
  let bytes = 0
  let dropped = 0
  let isClosed = false

  const add = (level: Level, message: string): void => {
    if (isClosed) return
    const left = MOST_BYTES - bytes
    if (dropped > 0 || entries >= MOST_ENTRIES || left <= 0) return void (dropped += 1)
    const size = utf8Length(message)
    entries += 1
    bytes += size
    write(JSON.stringify({ level, message: size > left ? `${beginningOf(message, left)} … (cut)` : message }))
  }

  return {
    log: logOver((level, values) => add(level, format(values))),
    console: attemptConsole(add),
    close: () => {
      if (dropped > 0) write(JSON.stringify({ level: 'warn', message: `${dropped} more log entries were dropped` }))
      isClosed = true
    },
  }
}

const format = (values: readonly unknown[]): string =>
  builtinModule<UtilModule>('node:util')?.format(...values) ?? inspectAll(values)

const beginningOf = (text: string, mostBytes: number): string => {
  let end = 0
  let bytes = 0
  for (const character of text) {
    bytes += utf8Length(character)
    if (bytes > mostBytes) break
    end += character.length
  }
  return text.slice(0, end)
}

const CONSOLE_LEVELS: Readonly<Record<string, Level>> = {
  debug: 'debug',
  warn: 'warn',
  error: 'error',
  assert: 'error',
  trace: 'error',
}

/** With groups, counts and timers of its own, like that of an attempt in the service. */
const attemptConsole = (add: (level: Level, message: string) => void): ConsoleTarget => {
  let level: Level = 'info'
  let own: NodeConsole | undefined
  const stream: Stream = { write: (text) => add(level, text.endsWith('\n') ? text.slice(0, -1) : text) }
  return (method, values) => {
    level = CONSOLE_LEVELS[method] ?? 'info'
    const Console = builtinModule<ConsoleModule>('node:console')?.Console
    if (Console === undefined) return add(level, inspectAll(values))
    own ??= new Console({ stdout: stream, stderr: stream, ignoreErrors: false, colorMode: false })
    own[method]?.(...values)
  }
}

const asText = (value: unknown): string => String(value)

/** The text of any thrown value. */
export const thrownText = (value: unknown): string => {
  if (typeof value === 'string') return value
  try {
    const json: string | undefined = JSON.stringify(value)
    // JSON of a map, for example, leaves all out.
    if (json !== undefined && json !== '{}') return json
  } catch {
    // It is no JSON.
  }
  try {
    return typeof value === 'object' ? inspectThrown(value) : asText(value)
  } catch {
    return 'a value that cannot be shown'
  }
}
