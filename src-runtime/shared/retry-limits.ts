// What a retry policy may say: checked where one comes in. The engine clamps by the same numbers.

type Limits = { readonly least: number; readonly most: number }

export const RETRY_LIMITS = {
  maxAttempts: { least: 1, most: 1_000_000 },
  /** A year. */
  intervalMs: { least: 0, most: 365 * 24 * 3_600_000 },
  backoffCoefficient: { least: 1, most: 100 },
} as const

export const isWithin = ({ least, most }: Limits, value: unknown): value is number =>
  typeof value === 'number' && value >= least && value <= most
