// How long first turns of versions took here. A first turn runs ahead of its start only where the one before was short: the
// host cannot be told to stop one that turns out to be long, and it would run twice.

export type FirstTurns = {
  note(versionId: string, ms: number): void
  /** The last one here was short. `undefined`: none ran here yet. */
  areShort(versionId: string): boolean | undefined
}

/** How long a start waits for its first turn. */
export const SHORT_TURN_MS = 50
const MOST_KEPT = 10_000

export const createFirstTurns = (): FirstTurns => {
  /** Least recently noted first. */
  const kept = new Map<string, boolean>()
  return {
    note: (versionId, ms) => {
      kept.delete(versionId)
      kept.set(versionId, ms <= SHORT_TURN_MS)
      if (kept.size > MOST_KEPT) kept.delete(kept.keys().next().value!)
    },
    areShort: (versionId) => kept.get(versionId),
  }
}
