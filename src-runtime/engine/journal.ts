// The journal of an Execution. Replaying it rebuilds the Execution's whole state.

/**
 * JSON text that was checked when it entered the runtime: it parses, and its size and nesting are within the limits.
 */
export type JsonText = string

/** Why an Execution failed. `stack` is mapped to the author's source where a source map exists. */
export type ExecutionError = {
  readonly code: FailureCode
  readonly message: string
  readonly name?: string
  readonly stack?: string
  readonly cause?: ErrorCause
}

/** What led to an error: `Error.cause`, at most 8 deep and 64 KiB in all. */
export type ErrorCause = {
  readonly name?: string
  readonly message: string
  readonly stack?: string
  readonly cause?: ErrorCause
}

export type FailureCode =
  | 'program_error'
  | 'effect_failed'
  | 'nondeterminism'
  | 'history_damaged'
  | 'program_timeout'
  | 'program_out_of_memory'
  | 'history_limit_exceeded'
  | 'result_too_large'
  | 'invalid_result'

export type Status = 'queued' | 'running' | 'waiting' | 'cancelling' | 'completed' | 'failed' | 'cancelled'

export type TerminalStatus = 'completed' | 'failed' | 'cancelled'

export const isTerminal = (status: Status): status is TerminalStatus =>
  status === 'completed' || status === 'failed' || status === 'cancelled'

export type EntryType =
  | 'execution_started'
  | 'effect_scheduled'
  | 'effect_attempt_failed'
  | 'effect_completed'
  | 'effect_failed'
  | 'timer_scheduled'
  | 'timer_fired'
  | 'wait_scheduled'
  | 'wait_timed_out'
  | 'event_received'
  | 'event_delivered'
  | 'log'
  | 'cancel_requested'
  | 'execution_completed'
  | 'execution_failed'
  | 'execution_cancelled'

/**
 * One line of a journal. `data` is the wire form of a HistoryEntry's `data`:
 *
 *     execution_started      { input? }
 *     effect_scheduled       { input?, retry?, timeoutMs? }
 *     effect_attempt_failed  { error, nextAttemptAt, early? }
 *     effect_completed       { result?, early? }
 *     effect_failed          { error, early? }
 *     timer_scheduled        { wakeAt }
 *     timer_fired            { early? }
 *     wait_scheduled         { timeoutAt? }
 *     wait_timed_out         { early? }
 *     event_received         { id, payload? }
 *     event_delivered        { id }
 *     log                    { level, message }
 *     execution_completed    { result? }
 *     execution_failed       { error }
 *
 * `early` is `true` where a user asked for it before it was due, and absent otherwise. `timer_fired` and `wait_timed_out` have no `data`
 * without it.
 *
 * Deliveries (`execution_started`, `effect_completed`, `effect_failed`, `timer_fired`, `wait_timed_out`,
 * `event_delivered`, `cancel_requested`) each begin a turn; the commands and logs behind one, up to the next, are what
 * the Program asked for in that turn. `event_received` and `effect_attempt_failed` may stand anywhere.
 */
export type JournalEntry = NewEntry & { readonly position: number }

export type NewEntry = {
  /** Milliseconds since the epoch. */
  readonly at: number
  readonly type: EntryType
  /** The number of the command within its Execution, from 1. */
  readonly command?: number
  readonly name?: string
  /** From 1; on effect entries. */
  readonly attempt?: number
  /** On `event_delivered`: the position of the `event_received` that was delivered. */
  readonly source?: number
  readonly data?: JsonText
}
