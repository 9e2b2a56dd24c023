// What one transaction does to one Execution. The engine decides it; the store writes it, whole or not at all.

import type { OpenCommand } from './execution-state.ts'
import type { ExecutionError, NewEntry, Status } from './journal.ts'

export type Change = {
  /** Appended in this order. An `event_received` is buffered as well. */
  readonly entries?: readonly NewEntry[]
  /** With which the event was sent that is received. */
  readonly eventKey?: { readonly key: string; readonly bodyHash: string }
  readonly opened?: readonly OpenCommand[]
  /** Commands that were answered. */
  readonly closed?: readonly number[] | 'all'
  /** Open commands as they are now: effects that wait for their next attempt, and what was asked for early. */
  readonly rescheduled?: readonly OpenCommand[]
  /** Positions of `event_received` entries that were delivered; 'all' drops the whole buffer. */
  readonly consumed?: readonly number[] | 'all'
  readonly status?: Status
  readonly error?: ExecutionError
  /** What the Program calls the Execution, known after its first turn. */
  readonly label?: string
  readonly startedAt?: number
  readonly finishedAt?: number
  readonly cancelRequestedAt?: number
  readonly cancelDelivered?: true
  /** The new totals, where they changed. */
  readonly turns?: number
  readonly lastCommand?: number
}
