import { meteredNames, type Invoice, type Plan, type Usage } from '../../src-runtime/contract/usage-models.ts'

/** A line for each metric. Each amount is rounded to a whole minor unit, half up; the total is their sum. */
export const priceUsage = (plan: Plan, usage: Usage['total']): Pick<Invoice, 'lines' | 'total'> => {
  const lines = meteredNames.map((metric) => {
    const quantity = usage[metric]
    const included = plan.included[metric]
    const billable = Math.max(0, quantity - included)
    const { per, amount } = plan.prices[metric]
    return { metric, quantity, included, billable, amount: roundedHalfUp(BigInt(billable) * BigInt(amount), per) }
  })
  return { lines, total: lines.reduce((sum, { amount }) => sum + amount, 0) }
}

const roundedHalfUp = (dividend: bigint, divisor: number): number => {
  const doubled = 2n * BigInt(divisor)
  return Number((2n * dividend + BigInt(divisor)) / doubled)
}
