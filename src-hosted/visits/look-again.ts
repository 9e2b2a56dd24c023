// When an Execution wants to be looked at, and by whom.

import type { LiveExecution } from '../../src-runtime/engine/live-execution.ts'

/** An effect whose attempt Restate was asked for: its message may be lost with all of Restate. */
const EFFECT_LEASE_MS = 60_000
/** An effect that nobody was asked for yet. */
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

/** When somebody must look at it at the latest, whatever happened to messages; `undefined`: no time will change it. */
export const wakeAtOf = (waiting: Waiting, now: number, leaseMs = EFFECT_LEASE_MS): number | undefined => {
  const { live } = waiting
  let at = nextTimerAt(waiting) ?? Infinity
  for (const command of live.openEffects) {
    const open = live.open.get(command)
    if (open !== undefined) at = Math.min(at, Math.max(open.dueAt ?? now, now) + leaseMs)
  }
  return at === Infinity ? undefined : at
}
