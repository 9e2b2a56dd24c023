/** Periods that end now, for filters by time: the values are those of an address. */
export const RECENT_TIMES = [
  { value: '-15m', label: 'Last 15 minutes' },
  { value: '-1h', label: 'Last hour' },
  { value: '-1d', label: 'Last day' },
  { value: '-7d', label: 'Last week' },
] as const
export const ANY_TIME = { value: 'any', label: 'Any time' } as const
