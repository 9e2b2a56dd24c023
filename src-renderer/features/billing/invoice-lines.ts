// What an invoice says, for the screen and as CSV. Pure.

import type { Invoice } from '#sdk/index.ts'
import { csvOf } from '../../parts/csv.ts'
import { METRIC_LABELS } from '../../parts/usage-amounts.ts'

const MONTH = new Intl.DateTimeFormat('en', { month: 'long', year: 'numeric', timeZone: 'UTC' })
const DAY = new Intl.DateTimeFormat('en', { day: 'numeric', month: 'long', timeZone: 'UTC' })

/** `November 2026` */
export const monthOf = ({ periodStart }: Pick<Invoice, 'periodStart'>): string => MONTH.format(new Date(periodStart))

/** `November 1 – November 30`; the period's end is the first moment of the next month. */
export const periodOf = ({ periodStart, periodEnd }: Pick<Invoice, 'periodStart' | 'periodEnd'>): string =>
  `${DAY.format(new Date(periodStart))} – ${DAY.format(new Date(Date.parse(periodEnd) - 1))}`

/** Of what the month includes, in percent; all of it where nothing is included. */
export const shareUsed = ({ quantity, included }: Pick<Invoice['lines'][number], 'quantity' | 'included'>): number => {
  if (quantity === 0) return 0
  return included === 0 ? 100 : Math.min(100, (quantity / included) * 100)
}

/** Amounts in minor units of the currency, such as cents. */
export const invoicesCsv = (invoices: readonly Invoice[]): string =>
  csvOf(
    ['Month', 'Metric', 'Quantity', 'Included', 'Billable', 'Amount (minor units)', 'Currency'],
    invoices.flatMap(({ periodStart, lines, currency, total }) => {
      const month = periodStart.slice(0, 7)
      return [
        ...lines.map((line) => [
          month,
          METRIC_LABELS[line.metric],
          line.quantity,
          line.included,
          line.billable,
          line.amount,
          currency,
        ]),
        [month, 'Total', undefined, undefined, undefined, total, currency],
      ]
    }),
  )
