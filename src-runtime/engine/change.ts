// What one transaction does to one Execution. The engine decides it; the store writes it, whole or not at all.

import type { OpenCommand } from './execution-state.ts'
import type { ExecutionError, NewEntry, Status } from './journal.ts'

export type Change = {
  /** Appended in this order. An `event_received` is buffered as well. */
  readonly entries?: readonly NewEntry[]
  readonly opened?: readonly OpenCommand[]
  /** Commands that were answered. */
  readonly closed?: readonly number[] | 'all'
  /** Effects that wait for their next attempt. */
  readonly rescheduled?: readonly { readonly command: number; readonly attempt: number; readonly dueAt: number }[]
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
