// Shows that an Execution runs, where its turn takes a while. Short turns cost no such write.

import type { Change } from '../../src-runtime/engine/change.ts'
import type { EngineStore } from '../store/store.ts'
import { applyCommitted, seenOf, type VisitedExecution } from './visited-execution.ts'

const SHOW_AFTER_MS = 100
/** Nobody need look for it while it runs. */
const LEASE_MS = 60_000

/** Call the returned function when the turn has ended; it settles when nothing is being written any more. */
export const watchLongTurn = (
  store: Pick<EngineStore, 'commit'>,
  execution: VisitedExecution,
  invocation: string,
  now: () => number,
): (() => Promise<void>) => {
  const { status } = execution.head
  if (status !== 'queued' && status !== 'waiting') return () => Promise.resolve()
  const begunAt = now()
  const turns = execution.live.turns
  let written: Promise<void> | undefined

  const show = async (): Promise<void> => {
    const change: Change = { status: 'running', startedAt: execution.head.startedAt ?? begunAt }
    const wakeAt = now() + LEASE_MS
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
