import { expect, it } from 'vitest'
import type { Invoice } from '#sdk/index.ts'
import { invoicesCsv, monthOf, periodOf, shareUsed } from './invoice-lines.ts'

const invoice: Invoice = {
  periodStart: '2026-11-01T00:00:00.000Z',
  periodEnd: '2026-12-01T00:00:00.000Z',
  currency: 'EUR',
  lines: [
    { metric: 'executions', quantity: 52_000, included: 50_000, billable: 2_000, amount: 8 },
    { metric: 'computeMs', quantity: 1_000, included: 36_000_000, billable: 0, amount: 0 },
  ],
  total: 8,
}

it('names the month in UTC', () => {
  expect([monthOf(invoice), periodOf(invoice)]).toEqual(['November 2026', 'November 1 – November 30'])
})

it('says how much of what is included was used', () => {
  expect(invoice.lines.map((line) => Math.round(shareUsed(line)))).toEqual([100, 0])
  expect(shareUsed({ quantity: 25, included: 100 })).toBe(25)
  expect([shareUsed({ quantity: 0, included: 0 }), shareUsed({ quantity: 1, included: 0 })]).toEqual([0, 100])
})

it('is saved with the lines and the total of each month', () => {
  expect(invoicesCsv([invoice])).toBe(
    'Month,Metric,Quantity,Included,Billable,Amount (minor units),Currency\r\n' +
      '2026-11,Executions,52000,50000,2000,8,EUR\r\n' +
      '2026-11,Compute time,1000,36000000,0,0,EUR\r\n' +
      '2026-11,Total,,,,8,EUR\r\n',
  )
})
