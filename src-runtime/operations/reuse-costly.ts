// Caches answers that take long to compute, for a time in proportion to their cost. So a page that asks every second,
// or twenty pages at once, use at most a tenth of the processor.

import type { ReuseCostly } from '../ports/operation-ports.ts'
import { forgetOldest } from '../shared/forget-oldest.ts'

/** Answers that take less are not cached. */
const CHEAP_MS = 25
const TIMES_ITS_COST = 10
const LONGEST_MS = 10_000
const MOST_KEPT = 100

type Kept = { readonly answer: Promise<unknown>; until: number }

/** `now`: ms on a monotonic clock. */
export const createReuseCostly = (now: () => number = () => performance.now()): ReuseCostly => {
  const kept = new Map<string, Kept>()

  return async <Answer>(question: unknown, compute: () => Promise<Answer>): Promise<Answer> => {
    const name = JSON.stringify(question)
    const known = kept.get(name)
    if (known !== undefined && now() < known.until) return known.answer as Promise<Answer>
    const begunAt = now()
    const entry: Kept = { answer: compute(), until: Infinity }
    kept.delete(name)
    kept.set(name, entry)
    forgetOldest(kept, MOST_KEPT)
    try {
      const answer = (await entry.answer) as Answer
      const cost = now() - begunAt
      entry.until = cost < CHEAP_MS ? 0 : now() + Math.min(LONGEST_MS, cost * TIMES_ITS_COST)
      return answer
    } catch (error) {
      entry.until = 0
      throw error
    }
  }
}
