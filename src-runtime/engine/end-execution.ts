// Ends an Execution. If a cancel was accepted first, the Execution is cancelled, whatever its last turn returned or
// threw.

import type { Change } from './change.ts'
import type { ExecutionHead } from './execution-state.ts'
import { isTerminal, type ExecutionError, type JsonText, type NewEntry, type TerminalStatus } from './journal.ts'

export type Ending =
  | { readonly kind: 'completed'; /** `{ result? }` */ readonly data: JsonText }
  | { readonly kind: 'failed'; readonly error: ExecutionError }

/** Adds an ending to a Change. */
export const endChange = (change: Change, ending: Ending, head: ExecutionHead, at: number): Change => {
  const entries = change.entries ?? []
  if (head.cancelRequestedAt !== undefined) {
    const delivered = head.cancelDelivered || change.cancelDelivered === true
    return ended(change, 'cancelled', at, [
      ...entries,
      ...(delivered ? [] : [{ at, type: 'cancel_requested' } as const]),
      ...(ending.kind === 'failed' && !isOrdinaryCancel(ending.error) ? [cleanUpFailed(ending.error, at)] : []),
      { at, type: 'execution_cancelled' },
    ])
  }
  switch (ending.kind) {
    case 'completed':
      return ended(change, 'completed', at, [...entries, { at, type: 'execution_completed', data: ending.data }])
    case 'failed': {
      const { error } = ending
      const entry: NewEntry = { at, type: 'execution_failed', data: JSON.stringify({ error }) }
      return { ...ended(change, 'failed', at, [...entries, entry]), error }
    }
  }
}

/** Ends an Execution outside a turn: its clean-up took too long, or its journal cannot be replayed. */
export const endOutsideTurn = (ending: Ending, head: ExecutionHead, at: number): Change | undefined =>
  isTerminal(head.status) ? undefined : endChange({}, ending, head, at)

/** An ended Execution has no open commands and no buffered events. */
const ended = (change: Change, status: TerminalStatus, at: number, entries: readonly NewEntry[]): Change => ({
  ...change,
  entries,
  status,
  finishedAt: at,
  opened: [],
})

const isOrdinaryCancel = (error: ExecutionError): boolean =>
  error.code === 'program_error' && error.name === 'CancelledError'

const cleanUpFailed = (error: ExecutionError, at: number): NewEntry => ({
  at,
  type: 'log',
  data: JSON.stringify({ level: 'error', message: `after the cancel: ${describeError(error)}` }),
})

/** A stack usually begins with the name and the message. */
const describeError = ({ name, code, message, stack }: ExecutionError): string => {
  const summary = `${name ?? code}: ${message}`
  if (stack === undefined || stack.startsWith(summary)) return stack ?? summary
  return `${summary}\n${stack}`
}
