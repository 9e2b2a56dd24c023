import fc from 'fast-check'
import { expect, it } from 'vitest'
import { createSample } from './sample.ts'

const sampleOf = (values: readonly number[]) => {
  const sample = createSample()
  for (const value of values) sample.add(value)
  return sample.percentiles()
}

it('has no percentiles if it is empty', () => {
  expect(sampleOf([])).toEqual({ p50Ms: null, p95Ms: null })
})

it('returns the value that this share of values does not exceed', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(1_000), { minLength: 1, maxLength: 300 }), (values) => {
      const { p50Ms, p95Ms } = sampleOf(values)
      const atMost = (limit: number | null) => values.filter((value) => value <= limit!).length
      const below = (limit: number | null) => values.filter((value) => value < limit!).length
      expect([atMost(p50Ms) >= values.length * 0.5, below(p50Ms) < values.length * 0.5]).toEqual([true, true])
      expect([atMost(p95Ms) >= values.length * 0.95, below(p95Ms) < values.length * 0.95]).toEqual([true, true])
    }),
  )
})

it('is close for more values than it keeps', () => {
  const { p50Ms, p95Ms } = sampleOf(Array.from({ length: 300_000 }, (_, index) => (index * 7_919) % 100_000))
  expect(Math.abs(p50Ms! - 50_000)).toBeLessThan(1_500)
  expect(Math.abs(p95Ms! - 95_000)).toBeLessThan(1_500)
})
