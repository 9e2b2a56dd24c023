// When the sweeper must visit an Execution, in case the messages about it were lost.

import type { LiveExecution } from '../../src-runtime/engine/live-execution.ts'

/** For what Restate was asked for: the message is lost when all of Restate is lost. */
export const OWNED_LEASE_MS = 60_000
/** For what Restate was not asked for yet. */
export const UNOWNED_LEASE_MS = 10_000

export type Waiting = {
  readonly live: LiveExecution
  /** When the clean-up after a cancel ends. */
  readonly graceEndsAt: number | undefined
}

/** The next time at which something is due by itself; `undefined`: never. */
export const nextTimerAt = ({ live, graceEndsAt }: Waiting): number | undefined => {
  let at = graceEndsAt ?? Infinity
  for (const open of live.open.values()) {
    if (open.kind !== 'effect' && open.dueAt !== undefined && open.dueAt < at) at = open.dueAt
  }
  return at === Infinity ? undefined : at
}

/**
 * The stored time instead of the wanted one, if it is nearly as late. A row whose time stays the same is stored without a
 * write to any of its indexes.
 */
export const keepWakeAt = (
  stored: number | undefined,
  wanted: number | undefined,
  now: number,
  leaseMs: number,
): number | undefined => {
  if (stored === undefined || wanted === undefined || stored > wanted) return wanted
  const slackMs = leaseMs / 2
  return wanted - stored <= slackMs && stored - now >= slackMs ? stored : wanted
}

/** When the sweeper must visit it at the latest, even if messages were lost; `undefined`: it waits for no time. */
export const wakeAtOf = (waiting: Waiting, now: number, leaseMs: number): number | undefined => {
  const { live } = waiting
  let at = nextTimerAt(waiting) ?? Infinity
  for (const command of live.openEffects) {
    const open = live.open.get(command)
    if (open !== undefined) at = Math.min(at, Math.max(open.dueAt ?? now, now) + leaseMs)
  }
  return at === Infinity ? undefined : at
}
