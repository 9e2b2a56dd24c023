import type { Invoice } from '#sdk/index.ts'
import { amountText, METRIC_LABELS, money } from '../../parts/usage-amounts.ts'
import { classNames } from '../../ui/class-names.ts'
import { ScrollX } from '../../ui/scroll-x.tsx'
import { HeaderRow } from './header-row.tsx'
import { monthOf, shareUsed } from './invoice-lines.ts'

/** Left out where the page is narrow: the plan says what is included. */
const LOOKS = { Included: 'max-sm:hidden', Billable: 'max-md:hidden' }

const HEADERS = ['Metric', 'Used', 'Included', 'Billable', 'Amount'] as const

export const InvoiceTable = ({ invoice }: { readonly invoice: Invoice }) => (
  <ScrollX label={`Lines of ${monthOf(invoice)}`}>
    <table aria-label={`Invoice for ${monthOf(invoice)}`} className="tabular w-full border-collapse md:min-w-120">
      <HeaderRow headers={HEADERS} looks={LOOKS} />
      <tbody>
        {invoice.lines.map((line) => (
          <tr key={line.metric} className="border-b border-line">
            <th scope="row" className="w-2/5 py-1.5 text-left font-normal">
              {METRIC_LABELS[line.metric]}
              <Used line={line} />
            </th>
            <td className="pl-4 text-right whitespace-nowrap">{amountText(line.metric, line.quantity)}</td>
            <td className={classNames('pl-4 text-right whitespace-nowrap text-soft', LOOKS.Included)}>
              {amountText(line.metric, line.included)}
            </td>
            <td
              className={classNames(
                'pl-4 text-right whitespace-nowrap',
                LOOKS.Billable,
                line.billable === 0 && 'text-faint',
              )}
            >
              {amountText(line.metric, line.billable)}
            </td>
            <td className="pl-4 text-right whitespace-nowrap">{money(line.amount, invoice.currency)}</td>
          </tr>
        ))}
      </tbody>
      <tfoot>
        <tr className="font-semibold">
          <th scope="row" colSpan={2} className="py-2 text-left">
            Total
          </th>
          <td colSpan={3} className="pl-4 text-right whitespace-nowrap">
            {money(invoice.total, invoice.currency)}
          </td>
        </tr>
      </tfoot>
    </table>
  </ScrollX>
)

/** How much of what is included was used. */
const Used = ({ line }: { readonly line: Invoice['lines'][number] }) => {
  const percent = shareUsed(line)
  const isOver = line.billable > 0
  return (
    <span
      role="meter"
      aria-label={`Share used of the included ${METRIC_LABELS[line.metric].toLowerCase()}`}
      aria-valuemin={0}
      aria-valuemax={100}
      aria-valuenow={Math.floor(percent)}
      aria-valuetext={isOver ? 'All of it, and more' : `${Math.floor(percent)}%`}
      className="mt-1 block h-1.5 overflow-hidden rounded-full bg-hover forced-color-adjust-none"
    >
      <span
        className={classNames('block h-full rounded-full', isOver ? 'bg-waiting-fill' : 'bg-running-fill')}
        style={{ width: `${percent}%` }}
      />
    </span>
  )
}
