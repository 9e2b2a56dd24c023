// Executions that this process has just stored with their first turn, or woken by an event. The visit that follows at once begins
// with them, and need not read them from the store. It may be wrong about what came from outside since: the store refuses its commit then.
// What came asks for a visit of its own, which reads it.

import type { Change } from '../../src-runtime/engine/change.ts'
import type { OpenEffect } from '../../src-runtime/engine/effect-attempts.ts'
import type { Why } from '../dispatch/dispatcher.ts'
import type { VisitedExecution } from './visited-execution.ts'

export type JustStored = {
  /** `why`: the visit is asked for that follows. */
  keep(stored: Stored, why: Why): void
  /** Removes it. `undefined`: none is kept for this visit, or it was kept too long ago. */
  take(executionId: string, why: Why): Stored | undefined
  /** Another visit has changed it. */
  drop(executionId: string): void
}

export type Stored = {
  readonly execution: VisitedExecution
  /** What was stored with its first turn. */
  readonly start?: StoredStart
}

export type StoredStart = {
  readonly change: Change
  /** Effects that the store knows to begin in this process, by command. */
  readonly claimed: ReadonlyMap<number, OpenEffect>
}

/** Long before anybody else looks at the row, and may ask for its effects. */
const KEPT_MS = 1_000
const MOST_KEPT = 512

/** `now` in ms, from a clock that never goes back. */
export const createJustStored = (now: () => number): JustStored => {
  /** Oldest first. */
  const kept = new Map<string, { readonly stored: Stored; readonly why: Why; readonly at: number }>()
  return {
    keep: (stored, why) => {
      kept.set(stored.execution.id, { stored, why, at: now() })
      for (const [id, { at }] of kept) {
        if (kept.size <= MOST_KEPT && now() - at <= KEPT_MS) break
        kept.delete(id)
      }
    },
    take: (executionId, why) => {
      const found = kept.get(executionId)
      kept.delete(executionId)
      return found?.why === why && now() - found.at <= KEPT_MS ? found.stored : undefined
    },
    drop: (executionId) => void kept.delete(executionId),
  }
}
