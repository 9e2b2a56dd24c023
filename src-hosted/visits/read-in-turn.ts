// Lets a process read few Executions and attempts at once. A worker gets all work of another one at the same moment after a fault; if it
// read everything at once, most reads would wait for a connection until they fail, and be asked for again. Workspaces take turns: one may
// have thousands of timers that are due at the same moment.

import { afterRunning } from '../../src-runtime/shared/after-running.ts'
import { createFairPlaces, unlessAborted, unlessEither, type EndsWait } from '../../src-runtime/shared/fair-places.ts'
import { StoreUnavailableError } from '../../src-runtime/shared/store-errors.ts'
import type { EngineStore } from '../store/store.ts'

/**
 * Without a read that succeeds, the database is away. Each read takes seconds to fail then, and the last ones would wait for minutes: also a
 * worker that stops waits for them. Restate asks for their work again. While reads succeed, however slowly, all of them wait: what is asked
 * for again would wait behind all others, and more is asked for again the more a worker has to do.
 */
const WAIT_MS = 30_000

/** These alternate: hundreds of effects that fail and are repeated at once would keep visits and first attempts waiting for seconds. */
type Part = 'visits' | 'attempts' | 'repeats'

/** `most`: fewer than there are connections. The others are left to commits and outcomes. */
export const readInTurn = (store: EngineStore, most: number, waitMs = WAIT_MS): EngineStore => {
  const places = createFairPlaces(most, () => most)
  let successes = 0
  const unlessAway: EndsWait = (reject) => {
    const wait = (): (() => void) => {
      const before = successes
      return afterRunning(waitMs, () => {
        if (successes > before) endWait = wait()
        else reject(new Error('the database is away'))
      })
    }
    let endWait = wait()
    return () => endWait()
  }

  /** A message names no workspace, so that of one that has to wait is asked for. */
  const takePlace = async (id: string, part: Part, dropped: AbortSignal | undefined): Promise<() => void> => {
    const workspace = places.isFull ? String(await store.workspaceOf(id)) : ''
    const unless = dropped === undefined ? unlessAway : unlessEither(unlessAway, unlessAborted(dropped))
    return places.take(workspace, unless, 1, part).catch((cause: unknown) => {
      dropped?.throwIfAborted()
      throw new StoreUnavailableError(`nothing could be read within ${waitMs} ms`, { cause })
    })
  }

  const inTurn = async <Result>(
    id: string,
    part: Part,
    read: () => Promise<Result>,
    dropped?: AbortSignal,
  ): Promise<Result> => {
    const give = await takePlace(id, part, dropped)
    try {
      const result = await read()
      successes += 1
      return result
    } finally {
      give()
    }
  }

  return {
    ...store,
    load: (id, dropped) => inTurn(id, 'visits', () => store.load(id), dropped),
    takeAttempt: (effect, ...rest) =>
      inTurn(effect.executionId, effect.attempt > 1 ? 'repeats' : 'attempts', () => store.takeAttempt(effect, ...rest)),
  }
}
