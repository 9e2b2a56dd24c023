// A sample of numbers, for percentiles: all numbers while they are few, then every second, every fourth and so on.

export type Sample = {
  add(value: number): void
  percentiles(): { readonly p50Ms: number | null; readonly p95Ms: number | null }
}

const MOST = 8_192

export const createSample = (): Sample => {
  let values: number[] = []
  let every = 1
  let seen = 0
  return {
    add: (value) => {
      if (seen++ % every !== 0) return
      values.push(value)
      if (values.length < MOST) return
      values = values.filter((_, index) => index % 2 === 0)
      every *= 2
    },
    percentiles: () => {
      const sorted = Float64Array.from(values).sort()
      return { p50Ms: nearestRank(sorted, 0.5), p95Ms: nearestRank(sorted, 0.95) }
    },
  }
}

const nearestRank = (sorted: Float64Array, part: number): number | null =>
  sorted.length === 0 ? null : sorted[Math.max(0, Math.ceil(part * sorted.length) - 1)]!
