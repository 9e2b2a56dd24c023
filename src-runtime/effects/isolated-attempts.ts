// Attempts that must not share a host with all others: those that were running when a host died, because any of them may
// have killed it, and those of effects that blocked a host. The former are suspects: each runs in a host of its own, and several
// together once others have ended without harm.

import { forgetOldest } from '../shared/forget-oldest.ts'
import type { Attempt } from './attempt.ts'

export type IsolatedAttempts = {
  has(attempt: Attempt): boolean
  /** Whether it may share a host with other suspects. */
  mayShare(attempt: Attempt): boolean
  /** How many suspects may share a host: as many as have ended without harm. */
  readonly together: number
  /** The attempt was running when a host died. `isCertain`: no other one was. */
  noteCrash(attempt: Attempt, isCertain: boolean): void
  noteBlock(attempt: Attempt): void
  /** The attempt ended by itself. `alone`: in a host for such attempts, without blocking it. */
  noteEnd(attempt: Attempt, alone: boolean): void
}

const MOST = 10_000

export const createIsolatedAttempts = (): IsolatedAttempts => {
  /**
   * By idempotency key, because a single input may be the cause, not its effect. `alone`: a host has died again while it ran, so
   * that it shares none any more.
   */
  const calls = new Map<string, 'suspect' | 'alone'>()
  const effects = new Set<string>()
  /** How many suspects of the last crash have ended without harm. */
  let harmless = 0
  return {
    has: ({ call, effectKey }) => effects.has(effectKey) || calls.has(call.idempotencyKey),
    mayShare: ({ call, effectKey }) => !effects.has(effectKey) && calls.get(call.idempotencyKey) === 'suspect',
    get together() {
      return Math.max(1, harmless)
    },
    noteCrash: ({ call: { idempotencyKey } }, isCertain) => {
      if (!isCertain) harmless = 0
      const kind = isCertain || calls.has(idempotencyKey) ? 'alone' : 'suspect'
      calls.delete(idempotencyKey)
      calls.set(idempotencyKey, kind)
      forgetOldest(calls, MOST)
    },
    noteBlock: ({ effectKey }) => {
      effects.delete(effectKey)
      effects.add(effectKey)
      forgetOldest(effects, MOST)
    },
    noteEnd: ({ call, effectKey }, alone) => {
      if (calls.delete(call.idempotencyKey)) harmless += 1
      if (alone) effects.delete(effectKey)
    },
  }
}
