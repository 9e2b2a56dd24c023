// Limits of a turn's computation, and of a host's silence.

/** Checked inside a host, at the engine's polls. Milliseconds are CPU time of the host's thread. */
export type TurnBudgets = {
  /**
   * Polls of one turn. A loop that only counts, or only awaits, uses them up in 3 s of CPU on the reference machine;
   * ordinary code takes some times longer. The count is the same on every machine for the same image and deliveries.
   */
  readonly turnFuel: number
  /** CPU of one turn in a host of its own, on the reference machine; scaled by the speed of the actual machine. */
  readonly turnCpuMs: number
  /** Polls and CPU of evaluating a Program's code. The CPU is scaled as well. */
  readonly loadFuel: number
  readonly loadCpuMs: number
  /**
   * CPU of one turn in the shared host; a longer turn moves to a host of its own. Also when nobody waits: the host does
   * not read messages during a turn, so others may have come since.
   */
  readonly sharedTurnMs: number
  /** Evaluating a Program's code in the shared host. */
  readonly sharedLoadMs: number
}

/** Limits that the runtime enforces, for code that cannot be interrupted. */
export type PoolLimits = {
  readonly budgets: TurnBudgets
  /** When the shared host is silent for this long, a spare one is started: later than a turn that takes too long is abandoned. */
  readonly spareAfterMs: number
  /** When it is silent for this long while others wait, they move to the spare host. `StallClock` counts the time. */
  readonly sharedSilenceMs: number
  readonly sharedSilenceAloneMs: number
  /** CPU that a turn may use without a poll in a host of its own, on the reference machine. */
  readonly aloneSilenceCpuMs: number
  readonly checkSilenceCpuMs: number
  /**
   * An idle shared host ends after this long; the more turns it has run, and so the more images it keeps, the later.
   */
  readonly sharedIdle: { readonly leastMs: number; readonly perTurnMs: number; readonly mostMs: number }
  readonly sharedRssBytes: number
  readonly aloneRssBytes: number
}

const MIB = 1024 * 1024

/** Polls of a loop that only counts, in a millisecond of CPU on the reference machine. Other code polls less often. */
export const REFERENCE_POLLS_PER_MS = 7

export const DEFAULT_POOL_LIMITS: PoolLimits = {
  budgets: {
    turnFuel: 3000 * REFERENCE_POLLS_PER_MS,
    turnCpuMs: 5 * 3000,
    loadFuel: 1000 * REFERENCE_POLLS_PER_MS,
    loadCpuMs: 5 * 1000,
    sharedTurnMs: 150,
    sharedLoadMs: 500,
  },
  spareAfterMs: 250,
  sharedSilenceMs: 400,
  sharedSilenceAloneMs: 1500,
  // Slightly more than the host's own limit, so that the host decides wherever the code polls.
  aloneSilenceCpuMs: 17_000,
  checkSilenceCpuMs: 6000,
  sharedIdle: { leastMs: 3500, perTurnMs: 3, mostMs: 60_000 },
  sharedRssBytes: 1024 * MIB,
  aloneRssBytes: 512 * MIB,
}
