// The watches that a host sets on Program code: decided at the engine's polls. What never polls is the parent's to stop.

import type { TurnBudgets } from './pool-limits.ts'
import type { Budgets } from './program-runner.ts'
import type { Watch } from './run-turn.ts'

/** `shared`: many Executions take turns here, so a long turn is given up and runs elsewhere. `alone`: it may go on. */
export type HostRole = 'shared' | 'alone'

export type HostClocks = {
  /** Milliseconds on a clock that only goes forward. */
  readonly now: () => number
  /** Milliseconds of CPU that the process has used. */
  readonly cpuMs: () => number
}

/** A journalled turn was within its budget once; another image of the same state may count differently. */
const REPLAY_FACTOR = 4

/** CPU time is dear to read, and one thread never uses more of it than the clock shows. */
const cpuWatch = (clocks: HostClocks, limitMs: number): Watch => {
  const startedAt = clocks.now()
  let cpuAtStart: number | undefined
  return () => {
    cpuAtStart ??= clocks.cpuMs()
    if (clocks.now() - startedAt < limitMs) return undefined
    return clocks.cpuMs() - cpuAtStart < limitMs ? undefined : 'time'
  }
}

const wallWatch = (clocks: HostClocks, limitMs: () => number): Watch => {
  const startedAt = clocks.now()
  return () => (clocks.now() - startedAt < limitMs() ? undefined : 'abandoned')
}

/** For the check of new code, and for loading a Program in a host of its own. */
export const loadWatch = (budgets: TurnBudgets, clocks: HostClocks): Watch => cpuWatch(clocks, budgets.loadCpuMs)

export const createBudgets = (
  role: HostRole,
  budgets: TurnBudgets,
  clocks: HostClocks,
  othersWait: () => boolean,
): Budgets => {
  const sharedTurnMs = (): number => (othersWait() ? budgets.sharedTurnMs : budgets.sharedTurnAloneMs)
  return {
    turn: (isReplay) => {
      const factor = isReplay ? REPLAY_FACTOR : 1
      const fuel = budgets.turnFuel * factor
      const watch = role === 'shared' ? wallWatch(clocks, sharedTurnMs) : cpuWatch(clocks, budgets.turnCpuMs * factor)
      return (polls) => (polls > fuel ? 'fuel' : watch(polls))
    },
    load: () => (role === 'shared' ? wallWatch(clocks, () => budgets.sharedLoadMs) : loadWatch(budgets, clocks)),
  }
}
