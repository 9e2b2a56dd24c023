// Claims what is due: timers and schedules. Workspaces take turns.

import type { DatabaseClock } from './clock.ts'
import type { Database } from './database.ts'
import type { ClaimDue, Due } from './store.ts'

type ClaimedRow = {
  readonly claims: readonly { readonly id: string; readonly workspace: number; readonly at: number }[]
  readonly last_workspace: number | null
  readonly is_more: boolean
  readonly at: number
}

/** `toDue` names whose id it is. */
export const createClaimDue = <One extends Due>(
  db: Database,
  clock: DatabaseClock,
  claim: 'wes_claim_timers' | 'wes_claim_schedules',
  toDue: (id: string, due: Due) => One,
): ClaimDue<One> => {
  const text = `SELECT claims, last_workspace, is_more, wes_now() AS at FROM ${claim}($1, $2, $3, $4, $5)`
  /** The key of the workspace whose turn was last. */
  let last = 0
  return async ({ aheadMs, limit, limitOfOne, busy }) => {
    const askedAt = performance.now()
    const [row] = await db.run<ClaimedRow>(text, [aheadMs, limit, limitOfOne, last, busy])
    const { claims, last_workspace: lastWorkspace, is_more: isMore, at: toldAt } = row!
    // Whoever waits until something is due must not wait by a clock that is behind, as it is after a machine has slept.
    clock.told(toldAt, askedAt)
    last = lastWorkspace ?? last
    return { due: claims.map(({ id, workspace, at }) => toDue(id, { workspace, dueAt: at })), isMore }
  }
}
