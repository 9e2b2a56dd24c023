// When a new token expires. Pure.

import { DAY_MS } from '../../parts/format.ts'

export const EXPIRIES = {
  '7': 'In 7 days',
  '30': 'In 30 days',
  '90': 'In 90 days',
  day: 'On a day',
  never: 'Never',
} as const

export type Expiry = keyof typeof EXPIRIES
export const EXPIRY_NAMES = Object.keys(EXPIRIES) as [Expiry, ...Expiry[]]

export type ExpiresAt =
  | { readonly kind: 'never' }
  | { readonly kind: 'at'; readonly at: Date }
  | { readonly kind: 'fault'; readonly fault: string }

/** `day`: the last day in UTC on which the token is accepted, such as `2026-12-31`. */
export const expiresAt = (expiry: Expiry, day: string, now: number): ExpiresAt => {
  if (expiry === 'never') return { kind: 'never' }
  if (expiry !== 'day') return { kind: 'at', at: new Date(now + Number(expiry) * DAY_MS) }
  const begins = Date.parse(`${day}T00:00:00.000Z`)
  if (Number.isNaN(begins)) return { kind: 'fault', fault: 'Choose a day' }
  const at = begins + DAY_MS
  return at <= now ? { kind: 'fault', fault: 'This day is over' } : { kind: 'at', at: new Date(at) }
}
