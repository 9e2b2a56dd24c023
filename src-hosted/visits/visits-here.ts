// Visits for which nobody asks Restate. It is told only of what is left when such a visit has ended or failed. A process that dies
// before leaves a row that the sweeper finds.

import type { Dispatcher, Visited, Why, Work } from '../dispatch/dispatcher.ts'

/** Beyond these, Restate queues. */
const MOST_AT_ONCE = 256

/** Answers the message that is left to be sent. */
export type VisitHere = (executionId: string, why: Why) => Promise<Visited['next']>

export const createVisitHere =
  (visit: Work['visit'], newId: () => string): VisitHere =>
  async (executionId, why) => {
    try {
      const { attempts, next } = await visit(executionId, newId(), why)
      // A visit that Restate asks for asks it for everything that is open.
      return attempts.length > 0 ? { why: 'sweep', delayMs: 0 } : next
    } catch {
      return { why: 'sweep', delayMs: 0 }
    }
  }

/**
 * Visits that follow at once what this process has stored. Only for a process that has no others beside it: elsewhere, Restate
 * chooses who visits, and knows who has died.
 */
export const visitsHereFirst = (
  visitHere: VisitHere,
  dispatcher: Pick<Dispatcher, 'poke'>,
): Pick<Dispatcher, 'poke'> => {
  let count = 0

  const visitAndTell: Dispatcher['poke'] = async (executionId, why) => {
    count += 1
    const left = await visitHere(executionId, why).finally(() => (count -= 1))
    if (left !== undefined) await dispatcher.poke(executionId, left.why, left.delayMs)
  }

  return {
    poke: (executionId, why, delayMs = 0) =>
      delayMs > 0 || count >= MOST_AT_ONCE
        ? dispatcher.poke(executionId, why, delayMs)
        : visitAndTell(executionId, why, delayMs),
  }
}
