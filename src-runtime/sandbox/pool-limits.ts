// How long Program code may take, and how long a host may be silent before it is killed.

/** Decided inside a host, at the engine's polls. */
export type TurnBudgets = {
  /**
   * Polls of one turn: about 3 s of CPU in the tightest loop there is (35,000 a second here), far more of anything
   * else. The same for the same image and the same deliveries, wherever they run.
   */
  readonly turnFuel: number
  /** CPU of one turn in a host of its own. */
  readonly turnCpuMs: number
  /** CPU of evaluating a Program's code. */
  readonly loadCpuMs: number
  /** Wall clock of one turn in the shared host while others wait; then it moves to a host of its own. */
  readonly sharedTurnMs: number
  /** While nobody is known to wait. Somebody may have come since, and must not wait for long either. */
  readonly sharedTurnAloneMs: number
  /** Wall clock of evaluating a Program's code in the shared host. */
  readonly sharedLoadMs: number
}

/** Decided by the parent, for code that cannot be interrupted. */
export type PoolLimits = {
  readonly budgets: TurnBudgets
  readonly sharedPatienceMs: number
  readonly sharedPatienceAloneMs: number
  readonly alonePatienceMs: number
  readonly checkPatienceMs: number
  /** A shared host without work goes after so long, and later the more turns it has run, whose images it keeps. */
  readonly sharedIdle: { readonly leastMs: number; readonly perTurnMs: number; readonly mostMs: number }
  readonly sharedRssBytes: number
  readonly aloneRssBytes: number
}

const MIB = 1024 * 1024

export const DEFAULT_POOL_LIMITS: PoolLimits = {
  budgets: {
    turnFuel: 105_000,
    turnCpuMs: 4000,
    loadCpuMs: 1000,
    sharedTurnMs: 150,
    sharedTurnAloneMs: 400,
    sharedLoadMs: 500,
  },
  sharedPatienceMs: 800,
  sharedPatienceAloneMs: 5000,
  alonePatienceMs: 5000,
  checkPatienceMs: 2500,
  sharedIdle: { leastMs: 3500, perTurnMs: 3, mostMs: 60_000 },
  sharedRssBytes: 1024 * MIB,
  aloneRssBytes: 512 * MIB,
}
