// Visits whose Program computes for so long that it waits for a host of its own. They hold no place meanwhile. Only a few
// wait in a worker, because a worker that has visits cannot be replaced; further visits are sent again later.

export type SlowVisits = {
  /** Whether another visit of the version should be sent again later, because enough of them wait. */
  isFull(workspaceId: string, versionId: string): boolean
  /** Call the returned function once the visit waits no more. */
  enter(workspaceId: string, versionId: string): () => void
  /** After how many ms such a visit is sent again. */
  turnAway(workspaceId: string): number
}

/** One more than the hosts that a Program may have, so that the next visit is here when one ends. */
const MOST_OF_VERSION = 4
/** Of all versions of a workspace; one without a waiting visit may exceed this by one. */
const MOST_OF_WORKSPACE = 8
/**
 * After this time the first one of a workspace is sent again, the others this far apart: each reads the store, in vain if
 * many wait.
 */
const FIRST_MS = 1_000
const EACH_MS = 20

/** `now` in ms, from a clock that never goes back. */
export const createSlowVisits = (now: () => number): SlowVisits => {
  /** By version, and by workspace. */
  const counts = new Map<string, number>()
  /** By workspace: when its last one comes. */
  const lastComesAt = new Map<string, number>()
  const countOf = (id: string): number => counts.get(id) ?? 0
  const add = (id: string, by: 1 | -1): void => {
    const count = countOf(id) + by
    if (count === 0) counts.delete(id)
    else counts.set(id, count)
  }
  return {
    isFull: (workspaceId, versionId) => {
      const count = countOf(versionId)
      return count >= MOST_OF_VERSION || (count > 0 && countOf(workspaceId) >= MOST_OF_WORKSPACE)
    },
    enter: (workspaceId, versionId) => {
      for (const id of [workspaceId, versionId]) add(id, 1)
      return () => {
        for (const id of [workspaceId, versionId]) add(id, -1)
      }
    },
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
