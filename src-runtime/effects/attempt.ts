// One attempt, from the worker's call to its outcome.

import type { IndexedBundle } from './bundle-index.ts'
import type { EffectCall, EffectOutcome } from './effect-performer.ts'

export type Attempt = {
  readonly call: EffectCall
  readonly bundle: IndexedBundle
  /** Identifies the effect with its code: an edited effect has another key. */
  readonly effectKey: string
  /** It has its outcome, though its code may still run. */
  readonly settled: boolean
  /** The first outcome counts. */
  settle(outcome: EffectOutcome): void
}

export const createAttempt = (
  call: EffectCall,
  bundle: IndexedBundle,
  onOutcome: (outcome: EffectOutcome) => void,
): Attempt => {
  let settled = false
  return {
    call,
    bundle,
    effectKey: `${bundle.digest}/${call.name}`,
    get settled() {
      return settled
    },
    settle: (outcome) => {
      if (settled) return
      settled = true
      onOutcome(outcome)
    },
  }
}
