// The worker's port: what operations ask of the loop that runs Executions.

import type { ExecutionHead } from '../engine/execution-state.ts'
import type { JsonText, Status, TerminalStatus } from '../engine/journal.ts'

export type Worker = {
  /** A start was committed (`store.executions.start`): run it. `data` is its `execution_started` data, `{ input? }`. */
  started(head: ExecutionHead, data: JsonText): void
  /** Durably receives an event. `receivedAt` (ms since the epoch) is what the journal holds. */
  sendEvent(
    key: number,
    event: { readonly id: string; readonly name: string; readonly payload?: JsonText },
  ): Promise<
    | { readonly kind: 'received'; readonly receivedAt: number }
    | { readonly kind: 'finished'; readonly status: TerminalStatus }
    | { readonly kind: 'buffer_full' }
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
