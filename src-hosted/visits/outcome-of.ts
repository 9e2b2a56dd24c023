import type { Change } from '../../src-runtime/engine/change.ts'
import { isTerminal } from '../../src-runtime/engine/journal.ts'
import type { OutcomeRecord } from '../../src-runtime/ports/executions.ts'

/** What the Execution has led to, once the change is stored; `undefined`: it goes on. */
export const outcomeOf = (change: Change, startedAt = change.startedAt): OutcomeRecord | undefined => {
  const { status, error, entries, finishedAt } = change
  if (status === undefined || !isTerminal(status)) return undefined
  return {
    status,
    ...(error !== undefined && { error }),
    result: status === 'completed' ? (entries?.at(-1)?.data ?? '{}') : '{}',
    ...(startedAt !== undefined && { startedAt }),
    ...(finishedAt !== undefined && { finishedAt }),
  }
}
