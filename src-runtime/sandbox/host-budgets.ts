// The limits that a host sets on Program code, checked at the engine's polls. Code that never polls is stopped by the
// runtime. Fuel decides for ordinary code; CPU time bounds what fuel does not see. Wall-clock time never fails a turn.

import type { TurnBudgets } from './pool-limits.ts'
import type { Budgets } from './program-runner.ts'
import type { Watch } from './run-turn.ts'

/** `shared`: many Executions take turns here, so a long turn is given up and runs elsewhere. `alone`: it may go on. */
export type HostRole = 'shared' | 'alone'

export type HostClocks = {
  /** Milliseconds on a clock that only goes forward. */
  readonly now: () => number
  /** Milliseconds of CPU that the thread has used. */
  readonly cpuMs: () => number
}

/** A journalled turn was within its budget once, but another image of the same state may need more. */
export const REPLAY_FACTOR = 4

/** Reading the CPU time is expensive, and one thread never uses more of it than the clock shows. */
const cpuWatch = (clocks: HostClocks, limitMs: () => number, outcome: 'time' | 'abandoned'): Watch => {
  const startedAt = clocks.now()
  let cpuAtStart: number | undefined
  return () => {
    cpuAtStart ??= clocks.cpuMs()
    if (clocks.now() - startedAt < limitMs()) return undefined
    return clocks.cpuMs() - cpuAtStart < limitMs() ? undefined : outcome
  }
}

const withFuel =
  (fuel: number, watch: Watch): Watch =>
  (polls) =>
    polls > fuel ? 'fuel' : watch(polls)

/** For the check of new code. `slowness`: how many times slower than the reference machine this one is. */
export const checkWatch = (budgets: TurnBudgets, clocks: HostClocks, slowness: number): Watch =>
  withFuel(
    budgets.loadFuel,
    cpuWatch(clocks, () => budgets.loadCpuMs * slowness, 'time'),
  )

export const createBudgets = (
  role: HostRole,
  budgets: TurnBudgets,
  clocks: HostClocks,
  othersWait: () => boolean,
  slowness: () => number,
): Budgets => {
  const slice = (limitMs: () => number): Watch => cpuWatch(clocks, limitMs, 'abandoned')
  const sharedTurnMs = (): number => (othersWait() ? budgets.sharedTurnMs : budgets.sharedTurnAloneMs)
  const bound = (cpuMs: number, factor: number): Watch => cpuWatch(clocks, () => cpuMs * factor * slowness(), 'time')
  return {
    turn: (isReplay) => {
      const factor = isReplay ? REPLAY_FACTOR : 1
      const watch = role === 'shared' ? slice(sharedTurnMs) : bound(budgets.turnCpuMs, factor)
      return withFuel(budgets.turnFuel * factor, watch)
    },
    // More than in the check of the code: what was accepted once can always be loaded.
    load: () =>
      role === 'shared'
        ? slice(() => budgets.sharedLoadMs)
        : withFuel(budgets.loadFuel * REPLAY_FACTOR, bound(budgets.loadCpuMs, REPLAY_FACTOR)),
  }
}
