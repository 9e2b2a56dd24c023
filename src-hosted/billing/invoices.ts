// Invoices: what a calendar month in UTC cost.

import type { Invoice, Plan } from '../../src-runtime/contract/usage-models.ts'
import { toWire, wireList, type WireJson } from '../../src-runtime/contract/wire-json.ts'
import { badCursor, limitOf, type PageRequest } from '../../src-runtime/operations/page-cursor.ts'
import { iso } from '../../src-runtime/operations/show-execution.ts'
import type { HostedPorts } from '../ports/hosted-ports.ts'
import { dayOf, dayText, monthOf, startOf, type Day } from '../usage/days.ts'
import { summarizeUsage, type UsageRow } from '../usage/summarize-usage.ts'
import { findPlan } from './plans.ts'
import { priceUsage } from './price-usage.ts'

type BillingPorts = Pick<HostedPorts, 'tenant' | 'now'>

export const getBillingPlan = async ({ tenant }: BillingPorts): Promise<WireJson<Plan>> =>
  toWire(findPlan((await tenant.workspace()).planId))

export const getUpcomingInvoice = async (ports: BillingPorts): Promise<WireJson<Invoice>> => {
  const plan = findPlan((await ports.tenant.workspace()).planId)
  const today = dayOf(ports.now())
  const month = monthOf(today)
  const rows = await ports.tenant.usage.rows({ from: month, to: today, today, groupBy: [] })
  return toWire(invoiceOf(plan, month, today, rows))
}

/** Newest first: each month from the workspace's first to the one before this. */
export const listInvoices = async (
  ports: BillingPorts,
  page: PageRequest,
): Promise<WireJson<{ items: Invoice[]; nextCursor: string | null }>> => {
  const { planId, createdAt } = await ports.tenant.workspace()
  const plan = findPlan(planId)
  const today = dayOf(ports.now())
  const over = monthOf(today, -1)
  const newest = page.cursor === undefined ? over : monthOf(decodeMonth(page.cursor, over), -1)
  const first = monthOf(dayOf(createdAt))
  const months: Day[] = []
  for (let month = newest; month >= first && months.length < limitOf(page); month = monthOf(month, -1)) {
    months.push(month)
  }
  const oldest = months.at(-1)
  const to = monthOf(newest, 1) - 1
  const rows = oldest === undefined ? [] : await ports.tenant.usage.rows({ from: oldest, to, today, groupBy: [] })
  const items = months.map((month) => toWire(invoiceOf(plan, month, today, rows)))
  return wireList(items, oldest === undefined || oldest === first ? null : encodeMonth(oldest))
}

const invoiceOf = (plan: Plan, month: Day, today: Day, rows: readonly UsageRow[]): Invoice => {
  const next = monthOf(month, 1)
  const { total: usage } = summarizeUsage({ from: month, to: next - 1, today, groupBy: [] }, upTo(rows, next))
  return {
    periodStart: iso(startOf(month)),
    periodEnd: iso(startOf(next)),
    currency: plan.currency,
    ...priceUsage(plan, usage),
  }
}

const upTo = (rows: readonly UsageRow[], end: Day): readonly UsageRow[] => rows.filter(({ day }) => day < end)

const encodeMonth = (month: Day): string => Buffer.from(dayText(month).slice(0, 7)).toString('base64url')

/** `over`: the last month that is over, so the first that an earlier page may have ended with. */
const decodeMonth = (cursor: string, over: Day): Day => {
  const at = Date.parse(`${Buffer.from(cursor, 'base64url').toString('latin1')}-01T00:00:00.000Z`)
  if (Number.isNaN(at) || encodeMonth(dayOf(at)) !== cursor || dayOf(at) > over) throw badCursor()
  return dayOf(at)
}
