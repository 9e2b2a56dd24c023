// How much a turn may compute, and how long a host may be silent before it is replaced.

/** Checked inside a host, at the engine's polls. Milliseconds are CPU time of the host's thread. */
export type TurnBudgets = {
  /**
   * Polls of one turn: 3 s of CPU in the tightest loop on the reference machine, which polls 35,000 times a second, and
   * far more of anything else. The same for the same image and the same deliveries, wherever they run.
   */
  readonly turnFuel: number
  /** CPU of one turn in a host of its own, on the reference machine; on another it is scaled by that one's speed. */
  readonly turnCpuMs: number
  /** Polls, and CPU likewise scaled, of evaluating a Program's code. */
  readonly loadFuel: number
  readonly loadCpuMs: number
  /** One turn in the shared host while others wait; then it moves to a host of its own. */
  readonly sharedTurnMs: number
  /** While nobody is known to wait. Somebody may have come since, and must not wait for long either. */
  readonly sharedTurnAloneMs: number
  /** Evaluating a Program's code in the shared host. */
  readonly sharedLoadMs: number
}

/** Decided by the runtime, for code that cannot be interrupted. */
export type PoolLimits = {
  readonly budgets: TurnBudgets
  /** The shared host is silent for so long: a spare one is started. */
  readonly spareAfterMs: number
  /** For so long while others wait: they go to the spare host. See `StallClock` for what counts. */
  readonly sharedSilenceMs: number
  readonly sharedSilenceAloneMs: number
  /** CPU on the reference machine that a turn may use without a poll, in a host of its own. */
  readonly aloneSilenceCpuMs: number
  readonly checkSilenceCpuMs: number
  /** A shared host without work ends after so long, and later the more turns it has run, whose images it keeps. */
  readonly sharedIdle: { readonly leastMs: number; readonly perTurnMs: number; readonly mostMs: number }
  readonly sharedRssBytes: number
  readonly aloneRssBytes: number
}

const MIB = 1024 * 1024

/** Polls of the tightest loop in a millisecond of CPU on the machine for which the limits are written. */
export const REFERENCE_POLLS_PER_MS = 35

export const DEFAULT_POOL_LIMITS: PoolLimits = {
  budgets: {
    turnFuel: 3000 * REFERENCE_POLLS_PER_MS,
    turnCpuMs: 5 * 3000,
    loadFuel: 1000 * REFERENCE_POLLS_PER_MS,
    loadCpuMs: 5 * 1000,
    sharedTurnMs: 150,
    sharedTurnAloneMs: 400,
    sharedLoadMs: 500,
  },
  spareAfterMs: 150,
  sharedSilenceMs: 400,
  sharedSilenceAloneMs: 1500,
  // A little more than the host's own bound, so that the host decides wherever the code polls.
  aloneSilenceCpuMs: 17_000,
  checkSilenceCpuMs: 6000,
  sharedIdle: { leastMs: 3500, perTurnMs: 3, mostMs: 60_000 },
  sharedRssBytes: 1024 * MIB,
  aloneRssBytes: 512 * MIB,
}
