// Answers that take long among very many Executions are given again for a while, in proportion to what they cost: a page
// that asks every second, or twenty pages at once, then cost a tenth of the processor's time at most.

export type ReuseCostly = <Answer>(question: unknown, compute: () => Promise<Answer>) => Promise<Answer>

/** Below this an answer is always a new one. */
const CHEAP_MS = 25
const TIMES_ITS_COST = 10
const LONGEST_MS = 10_000
const MOST_KEPT = 100

type Kept = { readonly answer: Promise<unknown>; until: number }

/** `now` in ms, on a clock that never goes back. */
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
    const [oldest] = kept.keys()
    if (kept.size > MOST_KEPT && oldest !== undefined) kept.delete(oldest)
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
