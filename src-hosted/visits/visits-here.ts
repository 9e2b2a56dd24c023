// Visits for which nobody asks Restate. It is asked only for what is left when such a visit has ended or failed. A process that dies
// before leaves a row that the sweeper finds.

import type { Dispatcher, Visited, Why, Work } from '../dispatch/dispatcher.ts'

/** Beyond these, Restate queues. */
const MOST_AT_ONCE = 256
/** Attempts. For more, one message asks for all that are open. */
const MOST_ASKED = 256

/** The ids of such visits are stored with their turns, and say when they began. Those of Restate begin with `inv`. */
const HERE = /^here_(\d+)_/

/** When a visit began that nobody does again if its process dies; `undefined`: Restate asked for the visit. */
export const beganHere = (id: string): number | undefined => {
  const at = HERE.exec(id)?.[1]
  return at === undefined ? undefined : Number(at)
}

/** Answers what is left to be asked for. */
export type VisitHere = (executionId: string, why: Why) => Promise<Visited>

/** A visit that Restate asks for asks it for everything that is open. */
const ALL: Visited = { attempts: [], next: { why: 'sweep', delayMs: 0 } }

/** `now`: PostgreSQL's clock, in ms since the epoch. */
export const createVisitHere =
  (visit: Work['visit'], newId: () => string, now: () => number): VisitHere =>
  async (executionId, why) => {
    try {
      const visited = await visit(executionId, `here_${now()}_${newId()}`, why)
      return visited.attempts.length > MOST_ASKED ? ALL : visited
    } catch {
      return ALL
    }
  }

/** Asks Restate for what such a visit has left. Settles when it was told; rejects when it could not be. */
export const askForRest = async (
  dispatcher: Pick<Dispatcher, 'poke' | 'perform'>,
  executionId: string,
  { attempts, next }: Visited,
): Promise<void> => {
  const asked = attempts.map(({ command, attempt, delayMs }) =>
    dispatcher.perform({ executionId, command, attempt }, delayMs),
  )
  if (next !== undefined) asked.push(dispatcher.poke(executionId, next.why, next.delayMs))
  await Promise.all(asked)
}

/**
 * Visits that follow at once what this process has stored. Only for a process that has no others beside it: elsewhere, Restate
 * chooses who visits, and knows who has died.
 */
export const visitsHereFirst = (
  visitHere: VisitHere,
  dispatcher: Pick<Dispatcher, 'poke' | 'perform'>,
): Pick<Dispatcher, 'poke'> => {
  let count = 0

  const visitAndTell: Dispatcher['poke'] = async (executionId, why) => {
    count += 1
    const left = await visitHere(executionId, why).finally(() => (count -= 1))
    await askForRest(dispatcher, executionId, left)
  }

  return {
    poke: (executionId, why, delayMs = 0) =>
      delayMs > 0 || count >= MOST_AT_ONCE
        ? dispatcher.poke(executionId, why, delayMs)
        : visitAndTell(executionId, why, delayMs),
  }
}
