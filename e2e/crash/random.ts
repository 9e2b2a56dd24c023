export type Random = {
  /** From 0 to below 1. */
  unit(): number
  below(limit: number): number
}

/** The same numbers for the same seed (mulberry32). */
export const createRandom = (seed: number): Random => {
  let state = seed >>> 0
  const unit = (): number => {
    state = (state + 0x6d2b79f5) >>> 0
    let t = Math.imul(state ^ (state >>> 15), state | 1)
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61)
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32
  }
  return { unit, below: (limit) => Math.floor(unit() * limit) }
}
