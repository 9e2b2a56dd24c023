// Lets the sweeper find Executions whose messages were lost with a process that died before PostgreSQL's clock was set back: it would
// look at them once the clock comes to the time of their lease again.

import type { EngineStore, LeaseMark } from '../store/store.ts'
import { OWNED_LEASE_MS } from './look-again.ts'

/** Most of them wait for a timer, and are only read. */
const AT_ONCE = 2_000

export const endLongLeases = async (
  store: Pick<EngineStore, 'endLongLeases'>,
  isStopped: () => boolean,
): Promise<void> => {
  let after: LeaseMark | undefined
  do after = await store.endLongLeases(after, OWNED_LEASE_MS, AT_ONCE)
  while (after !== undefined && !isStopped())
}
