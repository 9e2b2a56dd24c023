// While attempts take long, notes in the store that this process still performs them, and reads whether their Programs
// still await them: another worker may have accepted a cancel or run a turn.

import type { Logger } from 'pino'
import type { EngineStore } from '../store/store.ts'
import { textOf, type RunningAttempts } from './running-attempts.ts'

const EVERY_MS = 1_000

/** Call the returned function to stop. */
export const watchOpenAttempts = (deps: {
  readonly store: Pick<EngineStore, 'stillPerforms'>
  readonly running: RunningAttempts
  /** Identifies this process. */
  readonly performer: string
  readonly log: Logger
}): (() => void) => {
  const { store, running, performer, log } = deps
  let isAsking = false
  const look = async (): Promise<void> => {
    const attempts = running.olderThan(EVERY_MS)
    if (attempts.length === 0 || isAsking) return
    isAsking = true
    try {
      const open = new Set((await store.stillPerforms(attempts, performer)).map(textOf))
      for (const attempt of attempts) if (!open.has(textOf(attempt))) running.abort(attempt)
    } catch (error) {
      log.debug({ err: error }, 'whether effects are still awaited is not known now')
    } finally {
      isAsking = false
    }
  }
  const timer = setInterval(() => void look(), EVERY_MS)
  // A process that has no other work, because it could not start, ends.
  timer.unref()
  return () => clearInterval(timer)
}
