// What usage costs. A plan that a workspace has used is never edited, since closed invoices are computed from it: a new
// price is a new plan.

export const metrics = ['executions', 'turns', 'effectAttempts', 'events', 'computeMs', 'storedBytes'] as const

export type Metric = (typeof metrics)[number]

export type Plan = {
  readonly id: string
  readonly name: string
  /** ISO 4217; amounts are whole minor units of it, such as cents. */
  readonly currency: string
  /** What a month includes. */
  readonly included: Readonly<Record<Metric, number>>
  /** `amount` for each `per` beyond what is included, in proportion. */
  readonly prices: Readonly<Record<Metric, { readonly per: number; readonly amount: number }>>
}

const GIB = 1024 ** 3
const HOUR_MS = 3_600_000

export const DEFAULT_PLAN_ID = 'standard'

const plans: readonly Plan[] = [
  {
    id: DEFAULT_PLAN_ID,
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
