// One attempt, on its way from the worker's call to its outcome.

import type { IndexedBundle } from './bundle-index.ts'
import type { EffectCall, EffectOutcome } from './effect-performer.ts'

export type Attempt = {
  readonly call: EffectCall
  readonly bundle: IndexedBundle
  /** The effect in this very form: an edited one is another. */
  readonly effectKey: string
  /** Nobody waits for it any more, though its code may still run. */
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
