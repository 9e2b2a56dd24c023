// Attempts that must not share a host with others. When a host dies, any attempt that was under way may have done it;
// an effect that blocked a host will do so again. Each gets a host to itself, until it has shown that it does no harm.

import type { Attempt } from './attempt.ts'

export type Suspects = {
  has(attempt: Attempt): boolean
  /** It was under way when a host died. */
  mayHaveCrashed(attempt: Attempt): void
  hasBlocked(attempt: Attempt): void
  /** It ended by itself. `alone`: in a host of its own, which it did not block. */
  ended(attempt: Attempt, alone: boolean): void
}

const MOST = 10_000

export const createSuspects = (): Suspects => {
  /** By idempotency key: a single input may be the cause, and its effect is otherwise harmless. */
  const calls = new Set<string>()
  const effects = new Set<string>()
  return {
    has: ({ call, effectKey }) => effects.has(effectKey) || calls.has(call.idempotencyKey),
    mayHaveCrashed: ({ call }) => remember(calls, call.idempotencyKey),
    hasBlocked: ({ effectKey }) => remember(effects, effectKey),
    ended: ({ call, effectKey }, alone) => {
      calls.delete(call.idempotencyKey)
      if (alone) effects.delete(effectKey)
    },
  }
}

const remember = (set: Set<string>, key: string): void => {
  set.delete(key)
  set.add(key)
  if (set.size > MOST) set.delete(set.values().next().value!)
}
