// The shapes of what was used, and what it costs.

import { Type, type Static } from 'typebox'
import { listOf, oneOf, time } from './models.ts'

export const USAGE_DAYS_LIMIT = 366
/** Making more would delay other callers, and an answer with more takes too much memory. */
export const USAGE_ITEMS_LIMIT = 200_000

export const meteredNames = ['executions', 'turns', 'effectAttempts', 'events', 'computeMs', 'storedBytes'] as const

const MetricName = oneOf(meteredNames, { title: 'Metric' })

const amount = (description: string) => Type.Integer({ minimum: 0, description })

const amounts = {
  executions: amount('Executions that were started.'),
  turns: amount('Turns of Programs.'),
  effectAttempts: amount('Attempts of effects that had an outcome.'),
  events: amount('Events that were received.'),
  computeMs: amount('How long turns and attempts ran.'),
  storedBytes: amount('At the end of the day; over several days, the mean of the days’ ends.'),
}

const day = (description: string) => Type.String({ format: 'date', description })

export const Usage = Type.Object(
  {
    from: day('The first day, in UTC.'),
    to: day('The last day, in UTC.'),
    items: Type.Array(
      Type.Object(
        {
          day: Type.Optional(day('When grouped by day.')),
          projectId: Type.Optional(Type.String({ description: 'When grouped by project.' })),
          programId: Type.Optional(Type.String({ description: 'When grouped by Program.' })),
          ...amounts,
        },
        { title: 'UsageItem' },
      ),
    ),
    total: Type.Object(amounts, { title: 'UsageTotal' }),
  },
  { title: 'Usage' },
)

const currency = Type.String({ description: 'ISO 4217. Amounts are whole minor units of it, such as cents.' })
const each = (value: ReturnType<typeof amount>) =>
  Type.Object(Object.fromEntries(meteredNames.map((name) => [name, value])) as Record<Metric, typeof value>)

export const Plan = Type.Object(
  {
    id: Type.String(),
    name: Type.String(),
    currency,
    included: each(amount('So much of it in a month costs nothing.')),
    prices: Type.Object(
      Object.fromEntries(meteredNames.map((name) => [name, price()])) as Record<Metric, ReturnType<typeof price>>,
    ),
  },
  { title: 'Plan' },
)

function price() {
  return Type.Object({ per: amount('For each so many, in proportion.'), amount: amount('So much.') })
}

export const Invoice = Type.Object(
  {
    periodStart: time('When the month begins, in UTC.'),
    periodEnd: time('When the next one begins.'),
    currency,
    lines: Type.Array(
      Type.Object({
        metric: MetricName,
        quantity: amount('What was used.'),
        included: amount('What of it costs nothing.'),
        billable: amount('What lies above that.'),
        amount: amount('What that costs, rounded half up.'),
      }),
    ),
    total: amount('The sum of the lines.'),
  },
  { title: 'Invoice' },
)

export const InvoiceList = listOf(Invoice, 'InvoiceList')

export const groupings = ['day', 'project', 'program'] as const
export const Grouping = oneOf(groupings)

export type Metric = (typeof meteredNames)[number]
export type Grouping = (typeof groupings)[number]
export type Usage = Static<typeof Usage>
export type Plan = Static<typeof Plan>
export type Invoice = Static<typeof Invoice>
