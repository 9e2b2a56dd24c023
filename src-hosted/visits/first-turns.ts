// How long first turns of versions computed here. A first turn runs ahead of its start only if the one before was short: the start waits for
// it, a host cannot stop a turn that turns out to be long, and a visit in another process runs it a second time. How long a turn waited for
// others says nothing of its version. One that does not end in time is long until it has ended; after some time one start tries again.

import { forgetOldest } from '../../src-runtime/shared/forget-oldest.ts'

export type FirstTurns = {
  note(versionId: string, ms: number): void
  /** Whether the last one here was short. `undefined`: none ran here yet, or it is time to try one. */
  areShort(versionId: string): boolean | undefined
}

/** How long a start waits for its first turn. */
export const SHORT_TURN_MS = 50
const MOST_KEPT = 10_000
/** When a version is tried again: twice as late after each try that was long, too. */
const TRY_AGAIN_MS = { first: 1_000, most: 300_000 }

/** When a turn of a version was long, after how many ms it is tried, and when; `undefined`: its turn was short. */
type Kept = { readonly longAt: number; readonly afterMs: number; tryAt: number } | undefined

/** `now` in ms, from a clock that never goes back. */
export const createFirstTurns = (now: () => number): FirstTurns => {
  /** Least recently noted first. */
  const kept = new Map<string, Kept>()

  const afterLong = (before: Kept): Kept => {
    const longAt = now()
    // Turns that ran at the same time count once: all are long while a host starts.
    if (before !== undefined && longAt < before.longAt + before.afterMs) return before
    const afterMs = before === undefined ? TRY_AGAIN_MS.first : Math.min(2 * before.afterMs, TRY_AGAIN_MS.most)
    return { longAt, afterMs, tryAt: longAt + afterMs }
  }

  return {
    note: (versionId, ms) => {
      const before = kept.get(versionId)
      kept.delete(versionId)
      kept.set(versionId, ms <= SHORT_TURN_MS ? undefined : afterLong(before))
      forgetOldest(kept, MOST_KEPT)
    },
    areShort: (versionId) => {
      const long = kept.get(versionId)
      if (long === undefined) return kept.has(versionId) ? true : undefined
      if (now() < long.tryAt) return false
      long.tryAt = now() + long.afterMs // one start tries, and not all that come meanwhile
      return undefined
    },
  }
}
