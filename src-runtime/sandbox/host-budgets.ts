// How long Program code may run in a host. Decided at the engine's polls; what never polls is the parent's to stop.

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

/**
 * Polls of one turn: about 3 s of CPU in the tightest loop there is (35,000 a second), far more of anything else. The
 * same for the same image and the same deliveries, wherever they run.
 */
const TURN_FUEL = 105_000
/** A journalled turn was within its fuel once; another image of the same state may count differently. */
const REPLAY_FACTOR = 4

const SHARED_TURN_MS = 150
/** While nobody is known to wait. Somebody may have come since, and must not wait for long either. */
const SHARED_TURN_ALONE_MS = 400
const TURN_CPU_MS = 4000
const SHARED_LOAD_MS = 500
export const LOAD_CPU_MS = 1000

const cpuWatch = (clocks: HostClocks, limitMs: number): Watch => {
  const startedAt = clocks.now()
  let cpuAtStart: number | undefined
  // CPU time is dear to read, and never ahead of the wall clock by much: one thread.
  return () => {
    cpuAtStart ??= clocks.cpuMs()
    if (clocks.now() - startedAt < limitMs) return undefined
    return clocks.cpuMs() - cpuAtStart < limitMs ? undefined : 'time'
  }
}

/** For the check of new code, and for loading a Program in a host of its own. */
export const loadWatch = (clocks: HostClocks): Watch => cpuWatch(clocks, LOAD_CPU_MS)

export const createBudgets = (role: HostRole, clocks: HostClocks, othersWait: () => boolean): Budgets => {
  const sharedWatch = (limitMs: () => number): Watch => {
    const startedAt = clocks.now()
    return () => (clocks.now() - startedAt < limitMs() ? undefined : 'abandoned')
  }
  const timeWatch = (isReplay: boolean): Watch =>
    role === 'shared'
      ? sharedWatch(() => (othersWait() ? SHARED_TURN_MS : SHARED_TURN_ALONE_MS))
      : cpuWatch(clocks, isReplay ? TURN_CPU_MS * REPLAY_FACTOR : TURN_CPU_MS)
  return {
    turn: (isReplay) => {
      const fuel = isReplay ? TURN_FUEL * REPLAY_FACTOR : TURN_FUEL
      const watch = timeWatch(isReplay)
      return (polls) => (polls > fuel ? 'fuel' : watch(polls))
    },
    load: () => (role === 'shared' ? sharedWatch(() => SHARED_LOAD_MS) : loadWatch(clocks)),
  }
}
