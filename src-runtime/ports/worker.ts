// What runs Executions, as operations ask it.

import type { ReceivedEvent } from '../engine/accept.ts'
import type { ActedEarly, EarlyAction } from '../engine/act-early.ts'
import type { Status, TerminalStatus } from '../engine/journal.ts'
import type { NewExecution, ReceivedWith, StartOutcome } from './executions.ts'

export type Worker = {
  /** Durably starts an Execution, and runs it. */
  startExecution(execution: NewExecution): Promise<StartOutcome>
  /** Durably receives an event. `receivedAt` (ms since the epoch) is what the journal holds. */
  sendEvent(
    key: number,
    event: ReceivedEvent,
  ): Promise<
    | { readonly kind: 'received'; readonly receivedAt: number }
    /** An event with this idempotency key is in the journal already. */
    | { readonly kind: 'repeated'; readonly received: ReceivedWith }
    | { readonly kind: 'finished'; readonly status: TerminalStatus }
    | { readonly kind: 'buffer_full' }
    /** It was deleted. */
    | { readonly kind: 'gone' }
  >
  /** Durably makes an open command due now. */
  actEarly(
    key: number,
    action: EarlyAction,
    command: number,
  ): Promise<
    | { readonly kind: 'accepted' }
    | Extract<ActedEarly, { kind: 'refused' }>
    /** It was deleted. */
    | { readonly kind: 'gone' }
  >
  /** Durably asks for cancellation; repeatable. */
  cancel(
    key: number,
  ): Promise<
    | { readonly kind: 'accepted'; readonly status: Status }
    | { readonly kind: 'finished'; readonly status: TerminalStatus }
    | { readonly kind: 'gone' }
  >
}
