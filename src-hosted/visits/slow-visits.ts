// Visits whose Program computes for so long that it waits for a host of its own. They hold no place meanwhile; and beyond
// a few of one version, further ones come back later, so that Restate is free to send others.

export type SlowVisits = {
  /** So many of that version wait that another one should come later. */
  isFull(versionId: string): boolean
  enter(versionId: string): void
  leave(versionId: string): void
}

const MOST_OF_VERSION = 16

export const createSlowVisits = (): SlowVisits => {
  const counts = new Map<string, number>()
  const add = (versionId: string, by: 1 | -1): void => {
    const count = (counts.get(versionId) ?? 0) + by
    if (count === 0) counts.delete(versionId)
    else counts.set(versionId, count)
  }
  return {
    isFull: (versionId) => (counts.get(versionId) ?? 0) >= MOST_OF_VERSION,
    enter: (versionId) => add(versionId, 1),
    leave: (versionId) => add(versionId, -1),
  }
}
