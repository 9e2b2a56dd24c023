// PostgreSQL's clock, as far as its answers tell: a time that it gave, and how long ago that was by this process's own clock.

export type DatabaseClock = {
  /** ms since the epoch. Never goes back, but by more than a second when PostgreSQL's clock does. */
  now(): number
  /** An answer that was asked for at `askedAt` (`performance.now()`) says that it is `at`. */
  told(at: number, askedAt: number): void
}

/** An answer that took longer says less than one of before, for as long. */
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
