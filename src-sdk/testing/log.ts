// Formats the logs of Programs and effects as in the history.

import type { Log } from '../define-effect.ts'

export const logTo = (write: (data: string) => void): Log => {
  const at =
    (level: string) =>
    (...values: unknown[]): void =>
      write(JSON.stringify({ level, message: values.map(textOf).join(' ') }))
  return Object.freeze({ debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') })
}

const textOf = (value: unknown): string => (value instanceof Error ? (value.stack ?? String(value)) : thrownText(value))

/** The text of any value that may be thrown or logged. */
export const thrownText = (value: unknown): string => {
  if (typeof value === 'string') return value
  try {
    return JSON.stringify(value) ?? String(value)
  } catch {
    // It is no JSON.
  }
  try {
    return String(value)
  } catch {
    return 'a value that cannot be shown'
  }
}
