// How long first turns of versions took here. A first turn runs ahead of its start only if the one before was short: a host
// cannot stop a turn that turns out to be long, and a worker would run it a second time.

export type FirstTurns = {
  note(versionId: string, ms: number): void
  /** Whether the last one here was short. `undefined`: none ran here yet. */
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
