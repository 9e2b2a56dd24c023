// The attempts of an effect: which may begin, and what a failed one leads to.

import type { Change } from './change.ts'
import type { OpenCommand } from './execution-state.ts'
import { addOpen, type LiveExecution } from './live-execution.ts'
import { nextAttemptAt } from './retry-policy.ts'
import type { Delivery } from './turn.ts'

export type OpenEffect = Extract<OpenCommand, { kind: 'effect' }>

/** An effect's error as the journal keeps it. */
export type EffectFailure = {
  readonly code: string
  readonly message: string
  readonly name?: string
  readonly stack?: string
}

/** Effects whose next attempt may begin now. */
export const dueEffects = (live: LiveExecution, now: number): readonly OpenEffect[] => {
  const due: OpenEffect[] = []
  for (const command of live.openEffects) {
    const effect = live.open.get(command)
    if (effect?.kind === 'effect' && (effect.dueAt ?? 0) <= now) due.push(effect)
  }
  return due
}

export type AttemptFailed =
  | { readonly kind: 'retry'; /** The next attempt. */ readonly next: OpenEffect; readonly change: Change }
  | { readonly kind: 'given_up'; readonly delivery: Extract<Delivery, { kind: 'effect_failure' }> }

export const failAttempt = (
  effect: OpenEffect,
  failure: { readonly error: EffectFailure; readonly retryable: boolean },
  now: number,
): AttemptFailed => {
  const { command, name, attempt, options } = effect
  const { error } = failure
  const dueAt = nextAttemptAt(options, attempt, failure.retryable, now)
  if (dueAt === undefined) {
    const data = JSON.stringify({ error })
    return { kind: 'given_up', delivery: { kind: 'effect_failure', at: now, command, name, attempt, data } }
  }
  const data = JSON.stringify({ error, nextAttemptAt: new Date(dueAt).toISOString() })
  return {
    kind: 'retry',
    next: { ...effect, attempt: attempt + 1, dueAt },
    change: {
      entries: [{ at: now, type: 'effect_attempt_failed', command, name, attempt, data }],
      rescheduled: [{ command, attempt: attempt + 1, dueAt }],
    },
  }
}

/** The next attempt is stored and may begin when it is due, unless the effect was closed meanwhile. */
export const retryLater = (live: LiveExecution, next: OpenEffect): void => {
  if (live.open.has(next.command)) addOpen(live, next)
}
