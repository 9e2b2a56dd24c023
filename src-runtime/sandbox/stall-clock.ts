// Measures how long a host with work has been silent. Where the host's CPU time is known, it counts that, because a
// host that the system does not let run is not stuck. It counts ticks and reads no clock, so that a host does not look
// dead after the machine slept or the runtime was busy.

export const TICK_MS = 50
/** The most that one late tick counts. */
const LONGEST_TICK_MS = 200

export type StallClock = {
  /** The host sent a message. */
  reset(): void
  /**
   * `cpuMs`: CPU time of the host since its start, where known. What was known and cannot be read now, such as while no more
   * files may be opened, counts as unchanged. `leastShare`: the share of the elapsed time that counts
   * even if the host used no CPU.
   */
  tick(elapsedMs: number, cpuMs: number | undefined, leastShare: number): void
  readonly stalledMs: number
  /** CPU time during the silence. */
  readonly busyMs: number
  /** How long it has neither sent anything nor used CPU. */
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
      const used = latestCpuMs === undefined ? elapsedMs : (cpuMs ?? latestCpuMs) - latestCpuMs
      latestCpuMs = cpuMs ?? latestCpuMs
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
