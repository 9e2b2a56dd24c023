// Shuts the app down, whatever the cause: parks Executions and closes the store, once, within a time limit. Nothing
// depends on it; it only saves the next start a recovery.

import type { Logger } from 'pino'
import { within } from '../../src-runtime/shared/within.ts'

export type Shutdown = {
  /** May be called repeatedly; the first call determines how the process ends. `lastWords` are written at the end, and waited for. */
  begin(reason: string, exitCode: number, lastWords?: () => void | Promise<void>): Promise<void>
}

const LIMIT_MS = 7_000

export const createShutdown = (parts: {
  readonly stop: () => Promise<void>
  readonly exit: (code: number) => void
  readonly log: Logger
  readonly limitMs?: number
}): Shutdown => {
  const { stop, exit, log, limitMs = LIMIT_MS } = parts
  let ending: Promise<void> | undefined

  const end = async (reason: string, exitCode: number, lastWords?: () => void | Promise<void>): Promise<void> => {
    log.info({ reason }, 'the app ends')
    const stopped = stop()
      .catch((error: unknown) => log.error({ err: error }, 'the stop of the runtime failed'))
      .then(() => 'stopped')
    const outcome = await within(limitMs, stopped)
    if (outcome === undefined) log.error('the runtime did not stop in time; nothing acknowledged is lost')
    try {
      await lastWords?.()
    } catch (error) {
      log.error({ err: error }, 'the end of the app failed')
    }
    exit(exitCode)
  }

  return { begin: (reason, exitCode, lastWords) => (ending ??= end(reason, exitCode, lastWords)) }
}
