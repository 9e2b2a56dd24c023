// PostgreSQL's clock: the time in its last answer, plus the time since then by this process's own clock.

export type DatabaseClock = {
  /** ms since the epoch. Goes back only when PostgreSQL's clock goes back by more than a second. */
  now(): number
  /** Takes the time `at` of an answer to a statement that was sent at `askedAt` (`performance.now()`). */
  told(at: number, askedAt: number): void
}

/** A slow answer is less exact, so it does not replace a quick one that is younger than this. */
const TRUSTED_MS = 10_000
const STEP_BACK_MS = 1_000

export const createDatabaseClock = (monotonic: () => number = () => performance.now()): DatabaseClock => {
  let offset = Date.now() - monotonic()
  let roundTrip = Infinity
  let measuredAt = -Infinity
  let latest = 0
  return {
    now: () => {
      const at = Math.floor(monotonic() + offset)
      latest = at > latest || at < latest - STEP_BACK_MS ? at : latest
      return latest
    },
    told: (at, askedAt) => {
      const now = monotonic()
      const took = now - askedAt
      if (took > roundTrip && now - measuredAt < TRUSTED_MS) return
      offset = at - (askedAt + now) / 2
      roundTrip = took
      measuredAt = now
    },
  }
}
