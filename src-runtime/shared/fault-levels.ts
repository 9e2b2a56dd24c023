// At which level to log errors. While nothing can be stored, hundreds of Executions fail every second, for the same reason.

import { StoreUnavailableError } from './store-errors.ts'

const AGAIN_MS = 60_000

export type LevelOf = <Level extends 'warn' | 'error'>(error: unknown, level: Level) => Level | 'debug'

/** `level`, but `debug` for an error of the store that was logged less than a minute ago. */
export const createFaultLevels = (monotonic = (): number => performance.now()): LevelOf => {
  /** By message, of which there are few. */
  const loggedAt = new Map<string, number>()
  return (error, level) => {
    if (!(error instanceof StoreUnavailableError)) return level
    const now = monotonic()
    if (now - (loggedAt.get(error.message) ?? -Infinity) < AGAIN_MS) return 'debug'
    loggedAt.set(error.message, now)
    return level
  }
}
