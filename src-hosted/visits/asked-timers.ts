// The timers of which this process has told Restate in sweeps. While an effect takes long, its Execution is swept again and
// again; each message would add one more.

import { forgetOldest } from '../../src-runtime/shared/forget-oldest.ts'

const MOST_KEPT = 10_000

export type AskedTimers = {
  /** False: this process has asked for the timer before. */
  isNew(executionId: string, timerAt: number): boolean
}

export const createAskedTimers = (): AskedTimers => {
  /** The last one of each Execution, the oldest first. */
  const asked = new Map<string, number>()
  return {
    isNew: (executionId, timerAt) => {
      if (asked.get(executionId) === timerAt) return false
      asked.delete(executionId)
      asked.set(executionId, timerAt)
      forgetOldest(asked, MOST_KEPT)
      return true
    },
  }
}
