// An Execution that has work right now. Parked ones have none of this.

import type { ExecutionHead } from '../engine/execution-state.ts'
import type { LiveExecution } from '../engine/live-execution.ts'

export type ActiveExecution = {
  readonly key: number
  readonly id: string
  readonly programId: string
  readonly versionId: string
  readonly versionNumber: number
  readonly live: LiveExecution
  /** A turn is running; when it was handed to the Program hosts, in ms since the epoch. */
  inFlightSince: number | undefined
  /** Whether the row says `running` or more for the turn that is in flight. */
  shownAsRunning: boolean
  /** The newest command whose entry is durable: only these effects may be performed. */
  durableCommand: number
  /** An effect was opened, or may be tried again, since the last look at them. */
  effectsMayBegin: boolean
  /** Settles when everything asked of the store so far is durable, or was refused. */
  durable: Promise<unknown>
  pendingCommits: number
  /** Attempts under way, by command. */
  readonly attempts: Map<number, AbortController>
  /** Ended, or given up on: whatever still comes back for it is ignored. */
  gone: boolean
  /** Given up on, to begin again from the journal. */
  takenUpAgain: boolean
}

export const activeExecution = (head: ExecutionHead, live: LiveExecution): ActiveExecution => ({
  key: head.key,
  id: head.id,
  programId: head.programId,
  versionId: head.versionId,
  versionNumber: head.versionNumber,
  live,
  inFlightSince: undefined,
  shownAsRunning: false,
  durableCommand: head.lastCommand,
  effectsMayBegin: true,
  durable: Promise.resolve(),
  pendingCommits: 0,
  attempts: new Map(),
  gone: false,
  takenUpAgain: false,
})

export const abortAttempts = (active: ActiveExecution): void => {
  for (const attempt of active.attempts.values()) attempt.abort()
  active.attempts.clear()
}
