// What usage costs. A plan that a workspace has used is never edited, since closed invoices are computed from it: a new
// price is a new plan.

import type { Plan } from '../../src-runtime/contract/usage-models.ts'

const GIB = 1024 ** 3
const HOUR_MS = 3_600_000

const plans: readonly Plan[] = [
  {
    id: 'standard',
    name: 'Standard',
    currency: 'EUR',
    included: {
      executions: 50_000,
      turns: 500_000,
      effectAttempts: 250_000,
      events: 250_000,
      computeMs: 10 * HOUR_MS,
      storedBytes: GIB,
    },
    prices: {
      executions: { per: 1_000, amount: 4 },
      turns: { per: 10_000, amount: 5 },
      effectAttempts: { per: 10_000, amount: 5 },
      events: { per: 10_000, amount: 5 },
      computeMs: { per: HOUR_MS, amount: 12 },
      storedBytes: { per: GIB, amount: 25 },
    },
  },
]

/** Throws for a plan that there is not: rows name only plans of this table. */
export const findPlan = (id: string): Plan => {
  const plan = plans.find((one) => one.id === id)
  if (plan === undefined) throw new Error(`There is no plan ${id}`)
  return plan
}
