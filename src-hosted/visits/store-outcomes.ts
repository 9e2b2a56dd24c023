// Stores what attempts led to. While the database is away, an outcome is kept and stored once it is back: performing the
// effect again would repeat what it did.

import { pause } from '../../src-runtime/shared/pause.ts'
import { StoreUnavailableError } from '../../src-runtime/shared/store-errors.ts'
import type { OpenEffect } from '../../src-runtime/engine/effect-attempts.ts'
import type { AttemptKey, Performed } from '../dispatch/dispatcher.ts'
import type { EffectOutcome, EngineStore } from '../store/store.ts'
import { UNOWNED_LEASE_MS } from './look-again.ts'
import type { EndedAttempt } from './perform-attempts.ts'

export type OutcomeWriter = {
  /** Settles once it is stored, with what follows. Rejects when `signal` aborts while the database is away. */
  store(key: AttemptKey, ended: EndedAttempt, signal: AbortSignal): Promise<Performed>
  /** The same for a failed attempt of a visit that goes on: answers whether this call has stored it. Tries once. */
  storeRetry(key: AttemptKey, ended: EndedAttempt): Promise<boolean>
}

const FIRST_PAUSE_MS = 100
const LONGEST_PAUSE_MS = 2_000

export const createOutcomeWriter = (store: Pick<EngineStore, 'outcome'>, now: () => number): OutcomeWriter => ({
  store: async (key, ended, signal) => {
    const { answer: stored, tries } = await untilAnswered(() => store.outcome(key, outcomeOf(ended, now)), signal)
    const { end } = ended
    // If the first try got no answer, it is not known whether it has stored the outcome.
    const isStored = stored.kind === 'stored' || tries > 1
    if (end.kind === 'retry') return isStored ? again(end.next, now) : { kind: 'nothing' }
    return isStored && (stored.kind === 'late' || stored.wake) ? { kind: 'poke' } : { kind: 'nothing' }
  },
  storeRetry: async (key, ended) =>
    ended.end.kind === 'retry' && (await store.outcome(key, outcomeOf(ended, now))).kind === 'stored',
})

export const again = (next: Pick<OpenEffect, 'attempt' | 'dueAt'>, now: () => number): Performed => ({
  kind: 'again',
  attempt: next.attempt,
  delayMs: Math.max(0, (next.dueAt ?? 0) - now()),
})

const outcomeOf = ({ end, computeMs }: EndedAttempt, now: () => number): EffectOutcome => {
  if (end.kind === 'delivery') {
    const kind = end.delivery.kind === 'effect_result' ? 'result' : 'failure'
    return { kind, data: end.delivery.data, computeMs }
  }
  const { next, change } = end
  const [entry] = change.entries ?? []
  // The sweeper looks for the next attempt then at the latest, even if messages are lost.
  return { kind: 'retry', next, entry: entry!, wakeAt: (next.dueAt ?? now()) + UNOWNED_LEASE_MS, computeMs }
}

/** Asks again while the database is away. Rejects when `signal` aborts meanwhile. */
export const untilAnswered = async <Answer>(
  ask: () => Promise<Answer>,
  signal: AbortSignal,
): Promise<{ readonly answer: Answer; readonly tries: number }> => {
  for (let tries = 1, pauseMs = FIRST_PAUSE_MS; ; tries += 1, pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS)) {
    try {
      return { answer: await ask(), tries }
    } catch (error) {
      if (!(error instanceof StoreUnavailableError) || signal.aborted) throw error
    }
    await pause(pauseMs, signal)
  }
}
