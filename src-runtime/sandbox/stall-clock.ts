// How long a host has said nothing while it should. It counts the CPU that the host has used meanwhile, where that is
// known: a host that the system does not let run is not to blame. And it counts ticks rather than reading a clock, so
// that neither a machine that slept nor a runtime that was busy itself takes a host for dead.

export const TICK_MS = 50
/** One tick counts for no more than this, however late it comes. */
const LONGEST_TICK_MS = 200

export type StallClock = {
  /** The host said something. */
  reset(): void
  /**
   * `cpuMs`: what the host has used since its start, where that is known. `leastShare`: which share of the time counts
   * even if the host used no CPU at all.
   */
  tick(elapsedMs: number, cpuMs: number | undefined, leastShare: number): void
  readonly stalledMs: number
  /** How much of that it has computed. */
  readonly busyMs: number
  /** How long it has neither said anything nor used any CPU. */
  readonly motionlessMs: number
}

export const createStallClock = (): StallClock => {
  let stalledMs = 0
  let busyMs = 0
  let motionlessMs = 0
  let latestCpuMs: number | undefined
  return {
    reset: () => {
      stalledMs = 0
      busyMs = 0
      motionlessMs = 0
    },
    tick: (elapsedMs, cpuMs, leastShare) => {
      const used = cpuMs === undefined || latestCpuMs === undefined ? elapsedMs : cpuMs - latestCpuMs
      latestCpuMs = cpuMs
      const tickMs = Math.min(LONGEST_TICK_MS, elapsedMs)
      stalledMs += Math.min(tickMs, Math.max(used, elapsedMs * leastShare))
      busyMs += Math.min(tickMs, used)
      motionlessMs = used > 0 ? 0 : motionlessMs + tickMs
    },
    get stalledMs() {
      return stalledMs
    },
    get busyMs() {
      return busyMs
    },
    get motionlessMs() {
      return motionlessMs
    },
  }
}
