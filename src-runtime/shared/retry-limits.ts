// The limits of retry policies, checked when a policy is received. The engine clamps to the same limits.

type Limits = { readonly least: number; readonly most: number }

export const RETRY_LIMITS = {
  maxAttempts: { least: 1, most: 1_000_000 },
  /** At most one year. */
  intervalMs: { least: 0, most: 365 * 24 * 3_600_000 },
  backoffCoefficient: { least: 1, most: 100 },
} as const

export const isWithin = ({ least, most }: Limits, value: unknown): value is number =>
  typeof value === 'number' && value >= least && value <= most
