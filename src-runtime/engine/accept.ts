// Accepts events and cancels from callers. Each is one durable write, decided on the Execution's current row.

import type { Change } from './change.ts'
import type { ExecutionHead } from './execution-state.ts'
import { isTerminal, type JsonText } from './journal.ts'

/** Limits of one Execution's buffered events: their number, and the bytes of their data. */
export const MAX_BUFFERED_EVENTS = 10_000
export const MAX_BUFFERED_BYTES = 64 * 1024 * 1024

/** `idempotency`: the key that the event was sent with. */
export type ReceivedEvent = {
  readonly id: string
  readonly name: string
  readonly payload?: JsonText
  readonly idempotency?: { readonly key: string; readonly bodyHash: string }
}

/** `data` is the event's `eventData`, `bytes` its length as UTF-8. `undefined`: the event is refused. */
export const acceptEvent = (
  event: Pick<ReceivedEvent, 'name' | 'idempotency'> & { readonly data: JsonText; readonly bytes: number },
  at: number,
  head: ExecutionHead,
  hasOpenWait: (name: string, at: number) => boolean,
): Change | undefined => {
  if (isTerminal(head.status)) return undefined
  const { name, data, bytes, idempotency } = event
  // An event that ends a wait does not stay in the buffer. If the limits refused it, the Execution would wait for ever.
  const endsWait = head.status === 'waiting' && hasOpenWait(name, at)
  const isFull = head.buffered >= MAX_BUFFERED_EVENTS || head.bufferedBytes + bytes > MAX_BUFFERED_BYTES
  if (isFull && !endsWait) return undefined
  const entries = [{ at, type: 'event_received', name, data }] as const
  const received = { entries, ...(idempotency === undefined ? {} : { eventKey: idempotency }) }
  return endsWait ? { ...received, status: 'running' } : received
}

export const eventData = ({ id, payload }: { readonly id: string; readonly payload?: JsonText }): JsonText =>
  payload === undefined ? JSON.stringify({ id }) : `{"id":${JSON.stringify(id)},"payload":${payload}}`

/** `undefined`: the Execution is cancelling or has ended already, so nothing is written. */
export const acceptCancel = (at: number, head: ExecutionHead): Change | undefined => {
  if (isTerminal(head.status) || head.cancelRequestedAt !== undefined) return undefined
  if (head.status !== 'queued') return { status: 'cancelling', cancelRequestedAt: at }
  return {
    entries: [
      { at, type: 'cancel_requested' },
      { at, type: 'execution_cancelled' },
    ],
    status: 'cancelled',
    cancelRequestedAt: at,
    finishedAt: at,
  }
}
