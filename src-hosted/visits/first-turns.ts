// How long first turns of versions computed here. A first turn runs ahead of its start only if it is expected to end in time: the start waits
// for it, a host cannot stop a turn that turns out to be long, and a visit in another process runs it a second time. How long a turn waited
// for others says nothing of its version. One that does not end in time is long until it has ended; after some time one start tries again.

import { forgetOldest } from '../../src-runtime/shared/forget-oldest.ts'

export type FirstTurns = {
  note(versionId: string, ms: number): void
  /** One runs ahead of its start. Call the result at its end. */
  begin(versionId: string): () => void
  /**
   * Whether one that begins now ends in time, if it computes as long as those before, behind those of its version that run ahead: a process
   * has one host for them. `undefined`: none ran here yet, or it is time to try one.
   */
  isInTime(versionId: string): boolean | undefined
}

/** How long a start waits for its first turn. */
export const SHORT_TURN_MS = 50
const MOST_KEPT = 10_000
/** When a version is tried again: twice as late after each try that was long, too. */
const TRY_AGAIN_MS = { first: 1_000, most: 300_000 }

/**
 * How long a short turn of a version computed, and the shorter one of it and the one before: something else may have interrupted one of them.
 * Or when one was long, after how many ms it is tried, and when.
 */
type Kept =
  | { readonly kind: 'short'; readonly ms: number; readonly expectedMs: number }
  | { readonly kind: 'long'; readonly longAt: number; readonly afterMs: number; tryAt: number }

/** `now` in ms, from a clock that never goes back. */
export const createFirstTurns = (now: () => number): FirstTurns => {
  /** Least recently noted first. */
  const kept = new Map<string, Kept>()
  /** How many run ahead, by version; those of which none does are left out. */
  const underWay = new Map<string, number>()

  const afterShort = (ms: number, before: Kept | undefined): Kept => ({
    kind: 'short',
    ms,
    expectedMs: before?.kind === 'short' ? Math.min(ms, before.ms) : ms,
  })

  const afterLong = (before: Kept | undefined): Kept => {
    const longAt = now()
    // Turns that ran at the same time count once: all are long while a host starts.
    const long = before?.kind === 'long' ? before : undefined
    if (long !== undefined && longAt < long.longAt + long.afterMs) return long
    const afterMs = long === undefined ? TRY_AGAIN_MS.first : Math.min(2 * long.afterMs, TRY_AGAIN_MS.most)
    return { kind: 'long', longAt, afterMs, tryAt: longAt + afterMs }
  }

  return {
    note: (versionId, ms) => {
      const before = kept.get(versionId)
      kept.delete(versionId)
      kept.set(versionId, ms <= SHORT_TURN_MS ? afterShort(ms, before) : afterLong(before))
      forgetOldest(kept, MOST_KEPT)
    },
    begin: (versionId) => {
      underWay.set(versionId, (underWay.get(versionId) ?? 0) + 1)
      return () => {
        const left = (underWay.get(versionId) ?? 1) - 1
        if (left > 0) underWay.set(versionId, left)
        else underWay.delete(versionId)
      }
    },
    isInTime: (versionId) => {
      const last = kept.get(versionId)
      if (last === undefined) return undefined
      if (last.kind === 'short') return ((underWay.get(versionId) ?? 0) + 1) * last.expectedMs <= SHORT_TURN_MS
      if (now() < last.tryAt) return false
      last.tryAt = now() + last.afterMs // one start tries, and not all that come meanwhile
      return undefined
    },
  }
}
