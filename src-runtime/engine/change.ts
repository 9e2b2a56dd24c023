// What one transaction writes about one Execution. The engine decides it; the store writes all of it or nothing.

import type { OpenCommand } from './execution-state.ts'
import type { ExecutionError, NewEntry, Status } from './journal.ts'

export type Change = {
  /** Appended in this order. The store also buffers each `event_received`. */
  readonly entries?: readonly NewEntry[]
  /** The idempotency key of the received event. */
  readonly eventKey?: { readonly key: string; readonly bodyHash: string }
  readonly opened?: readonly OpenCommand[]
  /** Commands that are no longer open. */
  readonly closed?: readonly number[] | 'all'
  /**
   * Open commands with new values: effects that wait for their next attempt, and commands that a user asked for early.
   */
  readonly rescheduled?: readonly OpenCommand[]
  /** Positions of the delivered `event_received` entries; 'all' empties the buffer. */
  readonly consumed?: readonly number[] | 'all'
  readonly status?: Status
  readonly error?: ExecutionError
  /** The Program's label for the Execution, known after the first turn. */
  readonly label?: string
  readonly startedAt?: number
  readonly finishedAt?: number
  readonly cancelRequestedAt?: number
  readonly cancelDelivered?: true
  /** New totals; absent where they did not change. */
  readonly turns?: number
  readonly lastCommand?: number
}
