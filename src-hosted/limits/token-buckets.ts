// Requests per second, for each of many callers: a bucket that fills evenly, and pays for one request each time. Only
// buckets that are not full are kept.

export type TokenBuckets = {
  /** Undefined when the request may pass; else after how many seconds to try again. */
  take(key: string, rate: Rate): number | undefined
}

export type Rate = { readonly perSecond: number; readonly burst: number }

/** How often full buckets are looked for, in requests. */
const SWEEP_EVERY = 10_000

type Bucket = { level: number; at: number; fullAt: number }

/** `now` in ms, from a clock that never goes back. */
export const createTokenBuckets = (now: () => number): TokenBuckets => {
  const buckets = new Map<string, Bucket>()
  let sinceSweep = 0

  const sweep = (at: number) => {
    sinceSweep = 0
    for (const [key, bucket] of buckets) if (bucket.fullAt <= at) buckets.delete(key)
  }

  return {
    take: (key, { perSecond, burst }) => {
      const at = now()
      if (++sinceSweep >= SWEEP_EVERY) sweep(at)
      const bucket = buckets.get(key) ?? { level: burst, at, fullAt: at }
      const level = Math.min(burst, bucket.level + ((at - bucket.at) / 1_000) * perSecond)
      // A refusal changes nothing: many small steps would round the level down, and a later request would wait for longer than was said.
      if (level < 1) return Math.max(1, Math.ceil((1 - level) / perSecond))
      const left = level - 1
      buckets.set(key, { level: left, at, fullAt: at + ((burst - left) / perSecond) * 1_000 })
      return undefined
    },
  }
}
