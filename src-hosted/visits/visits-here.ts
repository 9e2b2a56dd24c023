// Visits that follow at once what this process has stored, without a message to Restate and its journal. Restate is told
// only of what is left when such a visit has ended or failed. A process that dies before leaves a row that the sweeper finds.

import type { Dispatcher, Visited, Work } from '../dispatch/dispatcher.ts'

/** Beyond these, Restate queues. */
const MOST_AT_ONCE = 256

/** Only for a process that has no others beside it: elsewhere, Restate chooses who visits, and knows who has died. */
export const visitsHereFirst = (
  visit: Work['visit'],
  dispatcher: Pick<Dispatcher, 'poke'>,
  newId: () => string,
): Pick<Dispatcher, 'poke'> => {
  let count = 0

  const visitHere: Dispatcher['poke'] = async (executionId, why) => {
    let left: Visited['next']
    count += 1
    try {
      const { attempts, next } = await visit(executionId, newId(), why)
      // A visit that Restate asks for asks it for everything that is open.
      left = attempts.length > 0 ? { why: 'sweep', delayMs: 0 } : next
    } catch {
      left = { why: 'sweep', delayMs: 0 }
    } finally {
      count -= 1
    }
    if (left !== undefined) await dispatcher.poke(executionId, left.why, left.delayMs)
  }

  return {
    poke: (executionId, why, delayMs = 0) =>
      delayMs > 0 || count >= MOST_AT_ONCE
        ? dispatcher.poke(executionId, why, delayMs)
        : visitHere(executionId, why, delayMs),
  }
}
