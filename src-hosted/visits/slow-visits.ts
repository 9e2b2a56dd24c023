// Visits whose Program computes for so long that it waits for a host of its own. They hold no place meanwhile. Only a few
// wait here: what waits for long keeps a worker from being replaced, and further ones come back later.

export type SlowVisits = {
  /** So many wait that another one of that version should come later. */
  isFull(versionId: string): boolean
  enter(versionId: string): void
  leave(versionId: string): void
  /** After how many ms one that should come later comes back. */
  turnAway(): number
}

/** Three of a Program run at once, each in a host of its own. */
const MOST_OF_VERSION = 4
/** A version of which none waits may have one beyond. */
const MOST = 8
/** When the first one comes back, and how far apart they come: each asks the store in vain, if there are many. */
const FIRST_MS = 1_000
const EACH_MS = 20

/** `now` in ms, from a clock that never goes back. */
export const createSlowVisits = (now: () => number): SlowVisits => {
  const counts = new Map<string, number>()
  let total = 0
  let lastComesAt = 0
  const add = (versionId: string, by: 1 | -1): void => {
    total += by
    const count = (counts.get(versionId) ?? 0) + by
    if (count === 0) counts.delete(versionId)
    else counts.set(versionId, count)
  }
  return {
    isFull: (versionId) => {
      const count = counts.get(versionId) ?? 0
      return count >= MOST_OF_VERSION || (count > 0 && total >= MOST)
    },
    enter: (versionId) => add(versionId, 1),
    leave: (versionId) => add(versionId, -1),
    turnAway: () => {
      lastComesAt = Math.max(now() + FIRST_MS, lastComesAt + EACH_MS)
      return lastComesAt - now()
    },
  }
}
