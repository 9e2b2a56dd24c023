import { ApiError } from '../../src-runtime/contract/errors.ts'
import { USAGE_DAYS_LIMIT, type Usage, type Grouping } from '../../src-runtime/contract/usage-models.ts'
import { toWire, withMember, type WireJson } from '../../src-runtime/contract/wire-json.ts'
import { createYield } from '../../src-runtime/shared/yield-to-event-loop.ts'
import type { HostedPorts } from '../ports/hosted-ports.ts'
import { dayOf, dayText, monthOf, startOf, type Day } from './days.ts'
import { refuseTooMany, summarizeUsage, type UsageItem } from './summarize-usage.ts'

export const getUsage = async (
  { tenant, now }: Pick<HostedPorts, 'tenant' | 'now'>,
  query: { readonly from?: string; readonly to?: string; readonly groupBy?: readonly Grouping[] },
): Promise<WireJson<Usage>> => {
  const today = dayOf(now())
  const to = query.to === undefined ? today : readDay('to', query.to)
  const from = query.from === undefined ? monthOf(to) : readDay('from', query.from)
  if (from > to) {
    const which = query.to === undefined ? ', which is today' : ''
    throw new ApiError('invalid_request', `query/from must not be later than query/to${which}`)
  }
  if (to - from >= USAGE_DAYS_LIMIT) {
    throw new ApiError('invalid_request', `query/from must lie less than ${USAGE_DAYS_LIMIT} days before query/to`)
  }
  const groupBy = query.groupBy ?? []
  const question = { from, to, today, groupBy }
  // Only to count them, the days of a year of thousands of Programs would be read for longer than a statement may take.
  if (groupBy.includes('program'))
    refuseTooMany(question, await tenant.usage.programs({ before: startOf(to + 1), groupBy }))
  const { items, total } = summarizeUsage(question, await tenant.usage.rows(question))
  const head = toWire({ from: dayText(from), to: dayText(to) })
  return withMember(
    withMember(head, 'items', await writeAll(items)),
    'total',
    toWire(total),
  ) as string as WireJson<Usage>
}

/** Others are served meanwhile: a month of thousands of Programs takes most of a second. */
const writeAll = async (items: Iterable<UsageItem>): Promise<string> => {
  const written: string[] = []
  const yieldIfDue = createYield()
  for (const item of items) {
    written.push(toWire(item))
    await yieldIfDue()
  }
  return `[${written.join(',')}]`
}

const readDay = (name: string, text: string): Day => {
  const at = Date.parse(`${text}T00:00:00.000Z`)
  if (Number.isNaN(at) || dayText(dayOf(at)) !== text) {
    throw new ApiError('invalid_request', `query/${name} must be a day such as 2026-01-31`)
  }
  return dayOf(at)
}
