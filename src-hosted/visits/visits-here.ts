// Visits for which nobody asks Restate. It is asked only for what is left when such a visit has ended or failed. A process that dies
// before leaves a row that the sweeper finds.

import type { Dispatcher, Visited, Why, Work } from '../dispatch/dispatcher.ts'

/**
 * As many as Restate calls handlers; it queues what is more. A visit that waits here costs less than the message and the handler for which it
 * would wait there.
 */
const MOST_AT_ONCE = 4_000
/** Attempts. For more, one message asks for all that are open. */
const MOST_ASKED = 256

const HERE = /^here_(\d+)_([^_]+)/

/** The id of such a visit is stored with its turns. Ids of Restate's visits begin with `inv`. */
export type HereId = {
  /** Effects that were opened since then, Restate may not know of if the process has died. In ms since the epoch. */
  readonly from: number
  readonly process: string
}

/** `undefined`: Restate asked for the visit. */
export const hereIn = (id: string): HereId | undefined => {
  const [, from, process = ''] = HERE.exec(id) ?? []
  return from === undefined ? undefined : { from: Number(from), process }
}

/** Of a visit that must ask for what was opened earlier than it began. */
export const withFrom = (id: string, from: number): string =>
  id.replace(HERE, (_, began, process) => `here_${Math.min(from, Number(began))}_${process}`)

/** Answers what is left to be asked for. */
export type VisitHere = (executionId: string, why: Why) => Promise<Visited>

/** A visit that Restate asks for asks it for everything that is open. */
const ALL: Visited = { attempts: [], next: { why: 'sweep', delayMs: 0 } }

/** `process`: a name that no other process has. `now`: PostgreSQL's clock, in ms since the epoch. */
export const createVisitHere = (visit: Work['visit'], process: string, now: () => number): VisitHere => {
  let visits = 0
  return async (executionId, why) => {
    visits += 1
    try {
      const visited = await visit(executionId, `here_${now()}_${process}_${visits}`, why)
      return visited.attempts.length > MOST_ASKED ? ALL : visited
    } catch {
      return ALL
    }
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
