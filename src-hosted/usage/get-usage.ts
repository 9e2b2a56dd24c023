import { ApiError } from '../../src-runtime/contract/errors.ts'
import { USAGE_DAYS_LIMIT, type Usage } from '../../src-runtime/contract/usage-models.ts'
import { toWire, type WireJson } from '../../src-runtime/contract/wire-json.ts'
import type { HostedPorts } from '../ports/hosted-ports.ts'
import { dayOf, dayText, monthOf, type Day } from './days.ts'
import { summarizeUsage, type Dimension } from './summarize-usage.ts'

export const getUsage = async (
  { tenant, now }: Pick<HostedPorts, 'tenant' | 'now'>,
  query: { readonly from?: string; readonly to?: string; readonly groupBy?: readonly Dimension[] },
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
  const rows = await tenant.usage.rows({ from, to, today, groupBy })
  const summary = summarizeUsage({ from, to, today, groupBy }, rows)
  return toWire({
    from: dayText(from),
    to: dayText(to),
    items: summary.items.map((item) => ({ ...item })),
    total: { ...summary.total },
  })
}

const readDay = (name: string, text: string): Day => {
  const at = Date.parse(`${text}T00:00:00.000Z`)
  if (Number.isNaN(at) || dayText(dayOf(at)) !== text) {
    throw new ApiError('invalid_request', `query/${name} must be a day such as 2026-01-31`)
  }
  return dayOf(at)
}
