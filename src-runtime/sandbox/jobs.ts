// Runs the guest's promise jobs, and counts them as fuel: the engine polls in loops and calls, so a loop of awaits would
// poll 20 times less often than others.

import type { Machine } from './machine.ts'

/** An await takes as long as 1/150 of what a loop that only counts does between two polls. */
const JOBS_PER_POLL = 150

/** Runs the next pending job at each call. Returns false if it threw. */
export const createJobs = (machine: Machine): (() => boolean) => {
  const { engine } = machine
  let jobs = 0
  return () => {
    jobs++
    if (jobs % JOBS_PER_POLL === 0) machine.poll()
    return engine.qjs_execute_pending_job() >= 0
  }
}
