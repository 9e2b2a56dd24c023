// Lets the sweeper find at once what a process that has died had begun and Restate does not know of, and what its sweeper had claimed, and
// may not have sent. It would wait for the ends of leases otherwise.

import type { EngineStore } from '../store/store.ts'
import { OWNED_LEASE_MS, SHORT_TIMER_MS, UNOWNED_LEASE_MS } from './look-again.ts'

const AT_ONCE = 1_000

/** Only where no other process can be at work. */
export const endLeases = async (
  store: Pick<EngineStore, 'endLeases'>,
  overdueMs: number,
  isStopped: () => boolean,
): Promise<void> => {
  const withinMs = SHORT_TIMER_MS + UNOWNED_LEASE_MS
  const asked = { withinMs, claimedWithinMs: OWNED_LEASE_MS, overdueMs, limit: AT_ONCE }
  while ((await store.endLeases(asked)) && !isStopped());
}
