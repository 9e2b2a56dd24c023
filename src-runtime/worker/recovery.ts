// Continues the Executions that were unfinished when the last process ended, a page at a time, so that callers are
// served meanwhile. What waits for a time, such as an effect that backs off, is left to wake-ups.ts.

import type { Clock } from '../shared/clock.ts'
import type { ExecutionStore } from '../store/store.ts'
import { RETRY_AFTER_MS } from './faults.ts'

const PAGE = 200

export const createRecovery = (deps: {
  readonly executions: Pick<ExecutionStore, 'unfinished' | 'head'>
  readonly clock: Clock
  readonly onCleaningUp: (key: number) => void
  readonly onUnfinished: (key: number) => void
  readonly onError: (error: unknown) => void
}): { start(): void; stop(): void } => {
  const { executions, clock, onCleaningUp, onUnfinished, onError } = deps
  let stopped = false

  /** Returns where the next page begins, if there is one. */
  const takePage = (afterKey: number): number | undefined => {
    const { keys, next } = executions.unfinished(afterKey, PAGE)
    for (const key of keys) {
      if (executions.head(key)?.cancelDelivered === true) onCleaningUp(key)
      onUnfinished(key)
    }
    return next
  }

  const takeFrom = (afterKey: number): void => {
    if (stopped) return
    try {
      const next = takePage(afterKey)
      if (next !== undefined) clock.after(0, () => takeFrom(next))
    } catch (error) {
      onError(error)
      clock.after(RETRY_AFTER_MS, () => takeFrom(afterKey))
    }
  }

  return {
    start: () => takeFrom(0),
    stop: () => {
      stopped = true
    },
  }
}
