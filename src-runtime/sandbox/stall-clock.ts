// How long a host has said nothing while it should. It counts ticks rather than reading a clock, so that a machine that
// slept, or a runtime that was busy itself, does not blame a host for it.

export const TICK_MS = 100
/** One tick counts for no more than this, however late it comes. */
const LONGEST_TICK_MS = 200

export type StallClock = {
  /** The host gave a sign of life. */
  reset(): void
  tick(elapsedMs: number): void
  readonly stalledMs: number
}

export const createStallClock = (): StallClock => {
  let stalledMs = 0
  return {
    reset: () => {
      stalledMs = 0
    },
    tick: (elapsedMs) => {
      stalledMs += Math.min(elapsedMs, LONGEST_TICK_MS)
    },
    get stalledMs() {
      return stalledMs
    },
  }
}
