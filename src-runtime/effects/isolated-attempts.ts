// Attempts that must not share a host with others: those that were running when a host died, because any of them may
// have killed it, and those of effects that blocked a host. Each runs in a host of its own until it has ended without
// harm.

import { forgetOldest } from '../shared/forget-oldest.ts'
import type { Attempt } from './attempt.ts'

export type IsolatedAttempts = {
  has(attempt: Attempt): boolean
  /** The attempt was running when a host died. */
  noteCrash(attempt: Attempt): void
  noteBlock(attempt: Attempt): void
  /** The attempt ended by itself. `alone`: in a host of its own, without blocking it. */
  noteEnd(attempt: Attempt, alone: boolean): void
}

const MOST = 10_000

export const createIsolatedAttempts = (): IsolatedAttempts => {
  /** By idempotency key, because a single input may be the cause, not its effect. */
  const calls = new Set<string>()
  const effects = new Set<string>()
  return {
    has: ({ call, effectKey }) => effects.has(effectKey) || calls.has(call.idempotencyKey),
    noteCrash: ({ call }) => remember(calls, call.idempotencyKey),
    noteBlock: ({ effectKey }) => remember(effects, effectKey),
    noteEnd: ({ call, effectKey }, alone) => {
      calls.delete(call.idempotencyKey)
      if (alone) effects.delete(effectKey)
    },
  }
}

const remember = (set: Set<string>, key: string): void => {
  set.delete(key)
  set.add(key)
  forgetOldest(set, MOST)
}
