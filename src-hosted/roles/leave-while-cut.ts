// A worker that is cut from PostgreSQL can do nothing, but Restate still reaches it, and would wait for it. So it closes its port until
// PostgreSQL answers again: for the other workers it is then like one that was killed.

import type { RestateEndpoint } from '../dispatch/restate-endpoint.ts'
import { every } from '../upkeep/every.ts'
import type { Base } from './base.ts'

const LOOK_EVERY_MS = 1_000
/** In a row without an answer. Shorter than what others wait for before they take over; a restart of PostgreSQL is shorter still. */
const LOOKS_UNTIL_CUT = 5

/**
 * Something must be asked in each of these intervals. Looks are counted, not time: a process that stood still has not read what was
 * answered meanwhile.
 */
export const leaveWhileCut = (
  endpoint: Pick<RestateEndpoint, 'isAway' | 'leave' | 'comeBack'>,
  { store, log }: { readonly store: Pick<Base['store'], 'connections'>; readonly log: Base['log'] },
  everyMs = LOOK_EVERY_MS,
): { stop(): Promise<void> } => {
  const count = (): number => store.connections().reduce((sum, { answered }) => sum + answered, 0)
  let answered = count()
  let silentLooks = 0
  let isRefused = false

  const comeBack = async (): Promise<void> => {
    try {
      await endpoint.comeBack()
    } catch (error) {
      if (!isRefused) log.warn({ err: error }, 'this worker cannot open its port again; it is tried again')
      isRefused = true
      return
    }
    isRefused = false
    log.info('PostgreSQL answers again; this worker takes work')
  }

  const look = async (isStopped: () => boolean): Promise<boolean> => {
    const before = answered
    answered = count()
    silentLooks = answered === before ? silentLooks + 1 : 0
    if (isStopped()) return false
    if (endpoint.isAway && silentLooks === 0) await comeBack()
    if (!endpoint.isAway && silentLooks >= LOOKS_UNTIL_CUT) {
      log.warn(
        'PostgreSQL does not answer; this worker takes no work until it does, and others may take over what it has begun',
      )
      await endpoint.leave()
    }
    return false
  }
  return every(everyMs, 'looking whether PostgreSQL answers', look, log)
}
