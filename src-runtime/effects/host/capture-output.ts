// Sends what effects print to the history of their Execution. Output outside of any attempt goes to the runtime's log.

import type { Console } from 'node:console'
import type { EffectLog } from '../effect-performer.ts'
import { Buffer } from './built-ins.ts'
import { currentAttempt } from './work.ts'

const LEVELS: Readonly<Record<string, EffectLog['level']>> = {
  debug: 'debug',
  warn: 'warn',
  error: 'error',
  assert: 'error',
  trace: 'error',
}

export const captureOutput = (): void => {
  captureConsole()
  captureStream('stdout', 'info')
  captureStream('stderr', 'error')
}

type Method = (...values: unknown[]) => unknown

/** Replaces each method, because modules may have destructured `console`. */
const captureConsole = (): void => {
  const methods = console as unknown as Record<string, Method>
  for (const [name, usual] of Object.entries(methods)) {
    if (typeof usual !== 'function' || name === 'Console') continue
    const level = LEVELS[name] ?? 'info'
    methods[name] = (...values) => {
      const attempt = currentAttempt()
      if (attempt === undefined) return usual(...values)
      const own = attempt.log.console(level) as Console & Record<string, Method | undefined>
      return (own[name] ?? usual)(...values)
    }
  }
}

const captureStream = (name: 'stdout' | 'stderr', level: EffectLog['level']): void => {
  const stream = process[name]
  const usual = stream.write.bind(stream) as Method
  stream.write = (chunk: string | Uint8Array, ...rest: unknown[]): boolean => {
    const attempt = currentAttempt()
    if (attempt === undefined) return usual(chunk, ...rest) as boolean
    const encoding = typeof rest[0] === 'string' ? (rest[0] as BufferEncoding) : 'utf8'
    attempt.log.print(level, typeof chunk === 'string' ? Buffer.from(chunk, encoding) : chunk)
    const written = rest.find((value) => typeof value === 'function') as (() => void) | undefined
    if (written !== undefined) process.nextTick(written)
    return true
  }
}
