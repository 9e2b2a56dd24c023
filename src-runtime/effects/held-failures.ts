// What has just failed, a load or a start, is not repeated for each attempt: its outcome counts for a while, at first for a
// second, and for longer the more often it fails.

import type { EffectOutcome } from './effect-performer.ts'

export type HeldFailures = {
  /** Of what has this key; `undefined`: it may be tried. */
  find(key: string): EffectOutcome | undefined
  hold(key: string, outcome: EffectOutcome): void
  /** It has succeeded. */
  forget(key: string): void
  forgetAll(): void
}

const FIRST_MS = 1_000
const LONGEST_MS = 10_000

export const createHeldFailures = (now: () => number): HeldFailures => {
  const failures = new Map<
    string,
    { readonly until: number; readonly holdMs: number; readonly outcome: EffectOutcome }
  >()
  return {
    find: (key) => {
      const failure = failures.get(key)
      return failure !== undefined && failure.until > now() ? failure.outcome : undefined
    },
    hold: (key, outcome) => {
      const holdMs = Math.min((failures.get(key)?.holdMs ?? FIRST_MS / 2) * 2, LONGEST_MS)
      failures.set(key, { until: now() + holdMs, holdMs, outcome })
    },
    forget: (key) => void failures.delete(key),
    forgetAll: () => failures.clear(),
  }
}
