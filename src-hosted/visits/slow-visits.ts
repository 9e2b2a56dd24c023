// Visits whose Program computes for so long that it waits for a host of its own. They hold no place meanwhile. Only a few
// wait in a worker, because a worker that has visits cannot be replaced; further visits are sent again later.

export type SlowVisits = {
  /** Whether another visit of the version should be sent again later, because enough of them wait. */
  isFull(versionId: string): boolean
  enter(versionId: string): void
  leave(versionId: string): void
  /** After how many ms such a visit is sent again. */
  turnAway(workspaceId: string): number
}

/** One more than the hosts that a Program may have, so that the next visit is here when one ends. */
const MOST_OF_VERSION = 4
/** A version without a waiting visit may exceed this by one. */
const MOST = 8
/**
 * After this time the first one of a workspace is sent again, the others this far apart: each reads the store, in vain if
 * many wait.
 */
const FIRST_MS = 1_000
const EACH_MS = 20

/** `now` in ms, from a clock that never goes back. */
export const createSlowVisits = (now: () => number): SlowVisits => {
  const counts = new Map<string, number>()
  let total = 0
  /** By workspace: when its last one comes. */
  const lastComesAt = new Map<string, number>()
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
    turnAway: (workspaceId) => {
      const comesAt = Math.max(now() + FIRST_MS, (lastComesAt.get(workspaceId) ?? 0) + EACH_MS)
      lastComesAt.delete(workspaceId)
      lastComesAt.set(workspaceId, comesAt)
      for (const [id, at] of lastComesAt) {
        if (at > now()) break
        lastComesAt.delete(id)
      }
      return Math.ceil(comesAt - now())
    },
  }
}
