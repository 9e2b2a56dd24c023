// Bounds how many starts run their first turn and are stored at once in this process, in all and of each workspace. Further
// ones wait here. Otherwise each step of a quiet workspace's start would wait behind the same step of all starts of a busy one.

import { createFairPlaces, unlessAborted, unlessEither, unlessLate } from '../../src-runtime/shared/fair-places.ts'

export type StartPlaces = {
  /** Waits for a place, alternating with other workspaces, and with other Programs of the workspace. `undefined`: none was free in time. */
  take(workspaceId: string, programId: string): Promise<(() => void) | undefined>
  /** From now on, nobody waits: a stopping process leaves requests that are under way a moment only. May be called twice. */
  stop(): void
}

const MOST = 64
/** While others start something too, fewer: what one start of theirs waits for grows with it. */
const MOST_OF_WORKSPACE = { alone: 48, besideOthers: 4 }
/** A workspace counts for this long after its last start. */
const ACTIVE_MS = 1_000
/**
 * After this time, a start is stored without its first turn, which a worker runs. That costs several times more, so a burst of starts would
 * last longer if it came soon.
 */
const LATE_MS = 5_000

/** `now` in ms, from a clock that never goes back. */
export const createStartPlaces = (now: () => number, lateMs = LATE_MS): StartPlaces => {
  const stopping = new AbortController()
  const unless = unlessEither(unlessLate(lateMs, 'too many starts are under way'), unlessAborted(stopping.signal))
  /** When each workspace started something last, in this order. */
  const lastAt = new Map<string, number>()
  const note = (workspaceId: string): void => {
    const at = now()
    lastAt.delete(workspaceId)
    lastAt.set(workspaceId, at)
    for (const [id, last] of lastAt) {
      if (at - last <= ACTIVE_MS) break
      lastAt.delete(id)
    }
  }
  const places = createFairPlaces(MOST, () =>
    lastAt.size > 1 ? MOST_OF_WORKSPACE.besideOthers : MOST_OF_WORKSPACE.alone,
  )
  return {
    take: (workspaceId, programId) => {
      note(workspaceId)
      return places.take(workspaceId, unless, 1, programId).catch(() => undefined)
    },
    stop: () => stopping.abort(),
  }
}
