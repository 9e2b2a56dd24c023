// What Programs and effects log, as it stands in the history.

import type { Log } from '../define-effect.ts'
import { record, type State } from './state.ts'

export const logOf = (state: State): Log => {
  const at =
    (level: string) =>
    (...values: unknown[]): void =>
      record(state, { type: 'log', data: { level, message: values.map(textOf).join(' ') } })
  return { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') }
}

const textOf = (value: unknown): string => {
  if (typeof value === 'string') return value
  if (value instanceof Error) return value.stack ?? `${value.name}: ${value.message}`
  try {
    return JSON.stringify(value) ?? String(value)
  } catch {
    return String(value)
  }
}
