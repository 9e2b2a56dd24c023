// When an Execution must be visited without a message: for its timers, and in case the messages about it were lost.

import type { OpenEffect } from '../../src-runtime/engine/effect-attempts.ts'
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

/**
 * Restate is asked for timers of at most this length, because a worker may look too late for them. All others stay in the store
 * until a worker finds them, so that those of one workspace do not stand before another's in Restate.
 */
export const SHORT_TIMER_MS = 1_000

/** The next time at which something is due by itself; `undefined`: never. */
export const nextTimerAt = (waiting: Waiting): number | undefined => {
  const { asked, left } = nextTimers(waiting)
  return finite(Math.min(asked, left))
}

/** Of the timers for which Restate is asked: short ones, and the end of a clean-up. */
export const nextAskedTimerAt = (waiting: Waiting): number | undefined => finite(nextTimers(waiting).asked)

const nextTimers = ({ live, graceEndsAt }: Waiting): { readonly asked: number; readonly left: number } => {
  let asked = graceEndsAt ?? Infinity
  let left = Infinity
  for (const open of live.open.values()) {
    if (open.kind === 'effect' || open.dueAt === undefined) continue
    if (open.dueAt - open.since <= SHORT_TIMER_MS) asked = Math.min(asked, open.dueAt)
    else left = Math.min(left, open.dueAt)
  }
  return { asked, left }
}

const finite = (at: number): number | undefined => (at === Infinity ? undefined : at)

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

/**
 * When a worker must look at it at the latest, even if messages were lost; `undefined`: it waits for no time. `asked`: effects for which
 * Restate was asked, whatever the lease of the others is.
 */
export const wakeAtOf = (
  waiting: Waiting,
  now: number,
  leaseMs: number,
  asked: ReadonlySet<number> = new Set(),
): number | undefined => {
  const { live } = waiting
  const timers = nextTimers(waiting)
  let at = Math.min(timers.left, Math.max(timers.asked, now) + UNOWNED_LEASE_MS)
  for (const command of live.openEffects) {
    const open = live.open.get(command)
    const ownMs = asked.has(command) ? OWNED_LEASE_MS : leaseMs
    if (open !== undefined) at = Math.min(at, Math.max(open.dueAt ?? now, now) + ownMs)
  }
  return finite(at)
}

/**
 * Whether a lease of an attempt ended between the two times, so that the message about it may be lost. Attempts that take longer than
 * one lease have several.
 */
export const hasLeaseEnded = ({ since, dueAt = since }: OpenEffect, from: number, to: number): boolean => {
  const leasesBy = (at: number): number => Math.max(0, Math.floor((at - dueAt) / OWNED_LEASE_MS))
  return leasesBy(to) > leasesBy(from)
}
