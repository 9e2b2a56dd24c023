// The metrics of usage and bills, and how their amounts and prices are written. Pure.

import type { UsageTotal } from '#sdk/index.ts'
import { bytes, count, duration, HOUR_MS, MINUTE_MS } from './format.ts'

export type UsageMetric = keyof UsageTotal

export const USAGE_METRICS = [
  'executions',
  'turns',
  'effectAttempts',
  'events',
  'computeMs',
  'storedBytes',
] as const satisfies readonly UsageMetric[]

export const METRIC_LABELS: Readonly<Record<UsageMetric, string>> = {
  executions: 'Executions',
  turns: 'Turns',
  effectAttempts: 'Effect attempts',
  events: 'Events',
  computeMs: 'Compute time',
  storedBytes: 'Stored data',
}

/** `1,234`, `27 h 5 min`, `1.5 KiB`. */
export const amountText = (metric: UsageMetric, amount: number): string => {
  if (metric === 'storedBytes') return bytes(amount).replace('.0 ', ' ')
  return metric === 'computeMs' ? computeText(amount) : count(amount)
}

/** Hours are not summed up to days, since hours are what is billed. */
const computeText = (ms: number): string => {
  if (ms < HOUR_MS) return duration(ms)
  const minutes = Math.floor((ms % HOUR_MS) / MINUTE_MS)
  return `${count(Math.floor(ms / HOUR_MS))} h${minutes === 0 ? '' : ` ${minutes} min`}`
}

/** The unit of a price: `1,000`, `hour`, `GiB`. */
export const priceUnit = (metric: UsageMetric, per: number): string => {
  const text = amountText(metric, per)
  if (metric === 'computeMs') return per === HOUR_MS ? 'hour' : per === MINUTE_MS ? 'minute' : text
  if (metric === 'storedBytes') return text.replace(/^1 /, '')
  return text
}

/** `minorUnits` of a currency of ISO 4217, such as cents: `€12.34`. */
export const money = (minorUnits: number, currency: string): string => {
  try {
    const format = new Intl.NumberFormat('en', { style: 'currency', currency })
    return format.format(minorUnits / 10 ** (format.resolvedOptions().maximumFractionDigits ?? 2))
  } catch {
    return `${count(minorUnits)} ${currency}` // not a code of three letters
  }
}
