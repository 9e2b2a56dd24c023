import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { meteredNames as metrics, type Metric, type Plan } from '../../src-runtime/contract/usage-models.ts'
import { findPlan } from './plans.ts'
import { priceUsage } from './price-usage.ts'

const none = Object.fromEntries(metrics.map((metric) => [metric, 0])) as Record<Metric, number>
const plan: Plan = {
  id: 'test',
  name: 'Test',
  currency: 'EUR',
  included: { ...none, executions: 100 },
  prices: Object.fromEntries(metrics.map((metric) => [metric, { per: 10, amount: 3 }])) as Plan['prices'],
}

const lineOf = (metric: Metric, quantity: number) =>
  priceUsage(plan, { ...none, [metric]: quantity }).lines.find((line) => line.metric === metric)

describe('pricing a usage', () => {
  it('bills what lies above what is included', () => {
    expect(lineOf('executions', 99)).toMatchObject({ quantity: 99, included: 100, billable: 0, amount: 0 })
    expect(lineOf('executions', 100)).toMatchObject({ billable: 0, amount: 0 })
    expect(lineOf('executions', 120)).toMatchObject({ billable: 20, amount: 6 })
  })

  it.each([
    [1, 0], // 0.3
    [2, 1], // 0.6
    [5, 2], // 1.5
    [15, 5], // 4.5
    [8, 2], // 2.4
  ])('rounds the amount for %i units half up to %i', (quantity, amount) => {
    expect(lineOf('turns', quantity)).toMatchObject({ billable: quantity, amount })
  })

  it('is exact beyond what floating point can hold', () => {
    // 0.3 of it ends in .5, which a double cannot tell from what lies beside it.
    expect(lineOf('storedBytes', 9_007_199_254_740_985)?.amount).toBe(2_702_159_776_422_296)
  })

  it('adds the rounded lines up', () => {
    fc.assert(
      fc.property(fc.record(Object.fromEntries(metrics.map((metric) => [metric, fc.nat(1e9)]))), (usage) => {
        const { lines, total } = priceUsage(findPlan('standard'), usage as Record<Metric, number>)
        expect(lines.map(({ metric }) => metric)).toEqual([...metrics])
        expect(total).toBe(lines.reduce((sum, { amount }) => sum + amount, 0))
        expect(lines.every(({ amount }) => Number.isSafeInteger(amount) && amount >= 0)).toBe(true)
      }),
    )
  })
})
