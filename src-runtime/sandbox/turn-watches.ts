// Checks a turn's limits at the engine's polls. Fuel limits ordinary code; CPU time limits code that polls rarely. Code
// that never polls is stopped by the runtime. Wall-clock time never fails a turn.

import type { TurnBudgets } from './pool-limits.ts'
import type { Watches } from './program-runner.ts'
import type { Watch } from './run-turn.ts'

/**
 * `shared`: many Executions share the host, so a long turn is abandoned and runs elsewhere. `alone`: it may continue.
 */
export type HostRole = 'shared' | 'alone'

export type HostClocks = {
  /** Milliseconds on a monotonic clock. */
  readonly now: () => number
  /** CPU time of the thread, in milliseconds. */
  readonly cpuMs: () => number
}

/** A journalled turn was once within its limits, but another image of the same state may need more. */
export const REPLAY_FACTOR = 5

/** Reading the CPU time is expensive; a thread cannot have used more than the elapsed time, which is checked first. */
const cpuWatch = (clocks: HostClocks, limitMs: number, outcome: 'time' | 'abandoned'): Watch => {
  const startedAt = clocks.now()
  let cpuAtStart: number | undefined
  return () => {
    cpuAtStart ??= clocks.cpuMs()
    if (clocks.now() - startedAt < limitMs) return undefined
    return clocks.cpuMs() - cpuAtStart < limitMs ? undefined : outcome
  }
}

const withFuel =
  (fuel: number, watch: Watch): Watch =>
  (polls) =>
    polls > fuel ? 'fuel' : watch(polls)

/** For checking new code. `slowness`: how many times slower than the reference machine this machine is. */
export const checkWatch = (budgets: TurnBudgets, clocks: HostClocks, slowness: number): Watch =>
  withFuel(budgets.loadFuel, cpuWatch(clocks, budgets.loadCpuMs * slowness, 'time'))

export const createWatches = (
  role: HostRole,
  budgets: TurnBudgets,
  clocks: HostClocks,
  slowness: () => number,
): Watches => {
  const slice = (limitMs: number): Watch => cpuWatch(clocks, limitMs, 'abandoned')
  const bound = (cpuMs: number, factor: number): Watch => cpuWatch(clocks, cpuMs * factor * slowness(), 'time')
  return {
    turn: (isReplay) => {
      const factor = isReplay ? REPLAY_FACTOR : 1
      const watch = role === 'shared' ? slice(budgets.sharedTurnMs) : bound(budgets.turnCpuMs, factor)
      return withFuel(budgets.turnFuel * factor, watch)
    },
    // More than the check of the code allows, so that accepted code can always be loaded.
    load: () =>
      role === 'shared'
        ? slice(budgets.sharedLoadMs)
        : withFuel(budgets.loadFuel * REPLAY_FACTOR, bound(budgets.loadCpuMs, REPLAY_FACTOR)),
  }
}
