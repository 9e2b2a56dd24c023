// Shows that an Execution runs, where its turn takes a while. Short turns cost no such write.

import type { Change } from '../../src-runtime/engine/change.ts'
import type { EngineStore } from '../store/store.ts'
import { applyCommitted, seenOf, type VisitedExecution } from './visited-execution.ts'

const SHOW_AFTER_MS = 100

/** Call the returned function when the turn has ended; it settles when nothing is being written any more. */
export const watchLongTurn = (
  deps: {
    readonly store: Pick<EngineStore, 'commit'>
    readonly now: () => number
    /** Nobody need look for it for so long. */
    readonly leaseMs: number
  },
  execution: VisitedExecution,
  invocation: string,
): (() => Promise<void>) => {
  const { store, now, leaseMs } = deps
  const { status } = execution.head
  if (status !== 'queued' && status !== 'waiting') return () => Promise.resolve()
  const begunAt = now()
  const turns = execution.live.turns
  let written: Promise<void> | undefined

  const show = async (): Promise<void> => {
    const change: Change = { status: 'running', startedAt: execution.head.startedAt ?? begunAt }
    const wakeAt = now() + leaseMs
    const stored = await store.commit(seenOf(execution, turns), { change, wakeAt, invocation })
    if (stored.kind === 'committed') applyCommitted(execution, change, stored, wakeAt)
  }
  const timer = setTimeout(() => {
    written = show().catch(() => {}) // what is only shown may be missing
  }, SHOW_AFTER_MS)
  return async () => {
    clearTimeout(timer)
    await written
  }
}
