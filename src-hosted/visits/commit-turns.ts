// Stores what a visit decided, unless another visit has stored a turn meanwhile. A cancel that came in between is added,
// and nothing is run again.

import type { Change } from '../../src-runtime/engine/change.ts'
import type { DamagedExecution } from '../../src-runtime/engine/damaged-execution.ts'
import type { ExecutionHead } from '../../src-runtime/engine/execution-state.ts'
import { isTerminal } from '../../src-runtime/engine/journal.ts'
import type { CommittedTurns, EngineStore } from '../store/store.ts'
import { applyCommitted, seeCancel, seenOf, type VisitedExecution } from './visited-execution.ts'

export type Decided = {
  /** The number of turns that the row must have. */
  readonly turnsBefore: number
  /** `undefined`: this row needs no write. */
  settle(head: ExecutionHead): Change | undefined
  /** When to look at the Execution again, once the change is stored. */
  wakeAt(): number | undefined
  /** Which effects of those that the change opens begin in this process at once. */
  begins?(change: Change): CommittedTurns['begun']
  readonly computeMs?: number
  /** Why it fails. What is read of an Execution while it is removed is not all there, and then nothing is stored. */
  readonly damage?: DamagedExecution
}

/** `lost`: another visit has stored its turns first, so those of this one are dropped. */
export type CommitResult = { readonly kind: 'committed'; readonly change: Change } | { readonly kind: 'lost' }

/** A cancel is accepted once, so the second try is the last. */
const TRIES = 2

export const commitTurns = async (
  store: Pick<EngineStore, 'commit'>,
  execution: VisitedExecution,
  invocation: string,
  { turnsBefore, settle, wakeAt, begins, computeMs }: Decided,
): Promise<CommitResult> => {
  for (let tried = 0; tried < TRIES; tried += 1) {
    const change = settle(execution.head)
    if (change === undefined) return { kind: 'lost' }
    const isEnd = change.status !== undefined && isTerminal(change.status)
    const wake = isEnd ? undefined : wakeAt()
    const begun = isEnd ? undefined : begins?.(change)
    const stored = await store.commit(seenOf(execution, turnsBefore), {
      change,
      wakeAt: wake,
      invocation,
      ...(computeMs !== undefined && { computeMs }),
      ...(begun !== undefined && { begun }),
    })
    if (stored.kind === 'committed') {
      applyCommitted(execution, change, stored, wake)
      return { kind: 'committed', change }
    }
    if (stored.kind === 'gone' || stored.turns !== turnsBefore || isTerminal(stored.status)) return { kind: 'lost' }
    const { cancelRequestedAt } = stored
    if (cancelRequestedAt === undefined || cancelRequestedAt === execution.head.cancelRequestedAt)
      return { kind: 'lost' }
    execution.isStale = true
    seeCancel(execution, cancelRequestedAt)
  }
  return { kind: 'lost' }
}
