// The Billing screen: the plan, what this month costs so far, and the months that ended.

import { ChevronRight, Download } from 'lucide-react'
import type { BillingPlan, Invoice } from '#sdk/index.ts'
import { invoicesQuery, planQuery, upcomingInvoiceQuery } from '../../api/account-queries.ts'
import { useScope } from '../../api/scope.ts'
import { useQueryKeepingError } from '../../api/use-query-keeping-error.ts'
import { InsteadOfData, QueryContent } from '../../parts/query-content.tsx'
import { saveFile } from '../../parts/save-file.ts'
import { Section } from '../../parts/section.tsx'
import { useHold } from '../../parts/use-hold.ts'
import { amountText, METRIC_LABELS, money, priceUnit, USAGE_METRICS } from '../../parts/usage-amounts.ts'
import { Button } from '../../ui/button.tsx'
import { PageHeader } from '../../ui/page-header.tsx'
import { ScrollX } from '../../ui/scroll-x.tsx'
import { invoicesCsv, monthOf, periodOf } from './invoice-lines.ts'
import { HeaderRow } from './header-row.tsx'
import { InvoiceTable } from './invoice-table.tsx'

export const BillingPage = () => {
  const scope = useScope()
  const upcoming = useQueryKeepingError(upcomingInvoiceQuery(scope))
  const plan = useQueryKeepingError(planQuery(scope))
  const closed = useQueryKeepingError(invoicesQuery(scope))
  const all = [upcoming, plan, closed]
  // Shown together, so that none moves another.
  const late = all.find(({ data, error }) => data === undefined && error === null)
  const isHeld = useHold(late !== undefined)
  // What keeps all of them away is said once.
  if (isHeld || all.every(({ data }) => data === undefined)) {
    return (
      <>
        <PageHeader title="Billing" />
        <InsteadOfData what="the plan and the invoices" query={late ?? upcoming} />
      </>
    )
  }
  return (
    <>
      <PageHeader title="Billing" />
      <div className="printed-whole clear-of-notice min-h-0 flex-1 overflow-auto">
        <Section title="This month">
          <QueryContent what="the upcoming invoice" query={upcoming}>
            {(invoice) => <Upcoming invoice={invoice} />}
          </QueryContent>
        </Section>
        <Section title="Plan">
          <QueryContent what="the plan" query={plan}>
            {(one) => <Plan plan={one} />}
          </QueryContent>
        </Section>
        <Section title="Past invoices">
          <QueryContent what="the past invoices" query={closed}>
            {(invoices) => <Closed invoices={invoices} />}
          </QueryContent>
        </Section>
      </div>
    </>
  )
}

const Upcoming = ({ invoice }: { readonly invoice: Invoice }) => (
  <>
    <div>
      <p className="tabular text-xl font-semibold">{money(invoice.total, invoice.currency)}</p>
      <p className="text-soft">
        So far for {monthOf(invoice)} ({periodOf(invoice)}, UTC)
      </p>
    </div>
    <InvoiceTable invoice={invoice} />
  </>
)

const Plan = ({ plan }: { readonly plan: BillingPlan }) => (
  <>
    <p>
      <span className="font-semibold">{plan.name}</span>
      <span className="text-soft"> · usage above what is included is charged pro rata</span>
    </p>
    <ScrollX label="Prices">
      <table aria-label="Plan" className="tabular w-full border-collapse">
        <HeaderRow headers={['Metric', 'Included per month', 'Additional usage']} />
        <tbody>
          {USAGE_METRICS.map((metric) => (
            <tr key={metric} className="border-b border-line">
              <th scope="row" className="py-1.5 text-left font-normal">
                {METRIC_LABELS[metric]}
              </th>
              <td className="pl-4 text-right whitespace-nowrap">{amountText(metric, plan.included[metric])}</td>
              <td className="pl-4 text-right whitespace-nowrap">
                {money(plan.prices[metric].amount, plan.currency)}{' '}
                <span className="text-soft">per {priceUnit(metric, plan.prices[metric].per)}</span>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </ScrollX>
    <p className="text-xs text-faint">Stored data is the average of what was stored at the end of each day.</p>
  </>
)

const Closed = ({ invoices }: { readonly invoices: readonly Invoice[] }) => {
  if (invoices.length === 0) return <p className="text-soft">No invoices yet. The first one is for this month.</p>
  return (
    <>
      <ul className="flex flex-col">
        {invoices.map((invoice) => (
          <li key={invoice.periodStart} className="border-b border-line">
            <details className="group">
              <summary className="flex list-none items-center gap-2 rounded-md py-2 hover:bg-hover">
                <ChevronRight size={14} className="text-faint group-open:rotate-90" />
                <span className="flex-1">{monthOf(invoice)}</span>
                <span className="tabular font-medium">{money(invoice.total, invoice.currency)}</span>
              </summary>
              <div className="pt-1 pb-3 pl-5">
                <InvoiceTable invoice={invoice} />
              </div>
            </details>
          </li>
        ))}
      </ul>
      <div>
        <Button
          icon={<Download size={14} />}
          onClick={() => saveFile('invoices.csv', 'text/csv', invoicesCsv(invoices))}
        >
          Download CSV
        </Button>
      </div>
    </>
  )
}
