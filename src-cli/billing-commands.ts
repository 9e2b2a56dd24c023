// The commands for what a workspace pays: this month so far, the plan, and the months that ended.

import { invoiceColumns, invoiceListColumns, planColumns } from './columns.ts'
import { type PageFlags, printList } from './list-commands.ts'
import { printAnswer, readAnswer, type Session } from './session.ts'
import { renderTable } from './table.ts'
import { printable } from './text.ts'

export const billing = async (session: Session): Promise<void> => {
  const { periodStart, currency, lines, total } = await session.client.getUpcomingInvoice()
  if (session.json) return printAnswer(session)
  const text = readAnswer(() => {
    const table = renderTable(invoiceColumns(currency), [...lines, { total }], style(session))
    return `${periodStart.slice(0, 7)}, so far\n${table}`
  })
  await session.terminal.out(text)
}

export const plan = async (session: Session): Promise<void> => {
  const answer = await session.client.getBillingPlan()
  if (session.json) return printAnswer(session)
  const text = readAnswer(() => {
    const metrics = Object.keys(answer.included) as (keyof typeof answer.included)[]
    const table = renderTable(planColumns(answer), metrics, style(session))
    return `${printable(answer.name)} (${printable(answer.id)}), each month\n${table}`
  })
  await session.terminal.out(text)
}

export const invoices = (session: Session, flags: PageFlags): Promise<void> =>
  printList(session, flags, invoiceListColumns, 'No month has ended.', (page) => session.client.listInvoices(page))

const style = ({ terminal }: Session) => ({ columns: terminal.columns, colour: terminal.outColour })
