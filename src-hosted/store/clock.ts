// PostgreSQL's clock: the time in its answers, plus the time since then by this process's own clock.

export type DatabaseClock = {
  /**
   * ms since the epoch. Not before any time that PostgreSQL has told, and not after its clock, so that the entries of an Execution are
   * in order, whichever process writes them. Goes back only when PostgreSQL's clock goes back by more than a second.
   */
  now(): number
  /** How often it went back. */
  setBacks(): number
  /** Takes the time of an answer that has just come. `askedAt`: what `performance.now()` was before the question. */
  told(at: number, askedAt: number): void
}

/** Clocks run at different speeds, so what was measured is replaced after this long. */
const TRUSTED_MS = 10_000
const STEP_BACK_MS = 1_000

export const createDatabaseClock = (monotonic: () => number = () => performance.now()): DatabaseClock => {
  let offset = Date.now() - monotonic()
  let measuredAt = -Infinity
  let latest = 0
  let setBacks = 0
  const now = (): number => {
    const at = Math.floor(monotonic() + offset)
    const isSetBack = at < latest - STEP_BACK_MS
    if (isSetBack) setBacks += 1
    if (isSetBack || at > latest) latest = at
    return latest
  }
  return {
    now,
    setBacks: () => {
      now()
      return setBacks
    },
    told: (at, askedAt) => {
      const toldAt = monotonic()
      // PostgreSQL's clock is further by now: the quicker the answer came, the nearer is this.
      const least = at - toldAt
      // By a slow one, the clock would seem to have been set back.
      const tookMs = toldAt - askedAt
      const isQuick = tookMs < STEP_BACK_MS
      // The answer took too little time to explain this much.
      const isSetBack = offset - least > STEP_BACK_MS + tookMs
      if (least > offset || (isQuick && (isSetBack || toldAt - measuredAt > TRUSTED_MS))) {
        offset = least
        measuredAt = toldAt
      }
      latest = Math.max(latest, at)
    },
  }
}
