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
  /** Its host has ended, or gets no more work, because of another one. Answers whether it is performed again, as the same attempt. */
  interrupt(what: string): boolean
}

/** Code that blocks hosts again and again, and belongs to no attempt, would otherwise keep others from ever failing. */
const MOST_INTERRUPTIONS = 3

export const createAttempt = (
  call: EffectCall,
  bundle: IndexedBundle,
  onOutcome: (outcome: EffectOutcome) => void,
): Attempt => {
  let settled = false
  let interruptions = 0
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
    interrupt: (what) => {
      if (interruptions === MOST_INTERRUPTIONS) return false
      interruptions += 1
      const message = `The effect ${call.name} was interrupted: its process ${what}. This attempt begins again.`
      call.onLog({ level: 'warn', message })
      return true
    },
  }
}
