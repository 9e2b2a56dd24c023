// Attempts of effects: which may begin, and what follows a failed one.

import type { Change } from './change.ts'
import type { OpenCommand } from './execution-state.ts'
import type { ErrorCause, JsonText } from './journal.ts'
import type { EffectDelivery, LiveExecution } from './live-execution.ts'
import { nextAttemptAt } from './retry-policy.ts'

export type OpenEffect = Extract<OpenCommand, { kind: 'effect' }>

/** An effect's error as the journal keeps it. */
export type EffectFailure = {
  readonly code: string
  readonly message: string
  readonly name?: string
  readonly stack?: string
  readonly cause?: ErrorCause
}

/** After this many runtime deaths during an attempt, it may have caused them: it does not begin together with all others. */
const DEATHS_TO_RUN_ALONE = 2
/** After one more, it has failed, if no other attempt may have caused that one. */
const DEATHS_TO_FAIL = 3
/** After so many, it has failed in any case. */
export const MOST_DEATHS = 8

export const runsAlone = ({ deaths = 0 }: OpenEffect): boolean => deaths >= DEATHS_TO_RUN_ALONE

/** Counts a runtime death during this attempt. `undefined`: the effect is at another attempt by now, or has ended. */
export const countDeath = (open: OpenCommand | undefined, attempt: number): OpenEffect | undefined =>
  open?.kind === 'effect' && open.attempt === attempt ? { ...open, deaths: (open.deaths ?? 0) + 1 } : undefined

/** The failure of an attempt during which the runtime died too often; it is not begun again. `advice` is for people. */
export const failureByDeaths = (
  { name, attempt, deaths = 0 }: OpenEffect,
  { mostDeaths = DEATHS_TO_FAIL, advice }: { readonly mostDeaths?: number; readonly advice?: string } = {},
): EffectFailure | undefined =>
  deaths < mostDeaths
    ? undefined
    : {
        code: 'runtime_died',
        name: 'EffectError',
        message:
          `the runtime died at least ${DEATHS_TO_FAIL} times while attempt ${attempt} of effect "${name}" was under way, ` +
          `so the attempt has failed${advice === undefined ? '' : `. ${advice}`}`,
      }

/** Effects whose next attempt may begin now. */
export const dueEffects = (live: LiveExecution, now: number): readonly OpenEffect[] => {
  const due: OpenEffect[] = []
  for (const command of live.openEffects) {
    const effect = live.open.get(command)
    if (effect?.kind === 'effect' && isDue(effect, now)) due.push(effect)
  }
  return due
}

/** Smaller corrections of the clock are too small to matter. */
const SET_BACK_MS = 1_000

export const isDue = (effect: OpenEffect, now: number): boolean =>
  (effect.dueAt ?? 0) <= now || pausesTooLong(effect, now)

/** No pause is longer than its policy says: if it would be, the clock was set back since. */
export const pausesTooLong = ({ attempt, dueAt = 0, options }: OpenEffect, now: number): boolean =>
  dueAt > (nextAttemptAt(options, attempt - 1, true, now) ?? dueAt) + SET_BACK_MS

/** An effect may have a million attempts: of the errors of later ones, the journal keeps the beginning, but for the last one's. */
const LAST_WHOLE_ATTEMPT = 100
const LONGEST_BEGINNING = 200

const beginningOf = ({ code, message, name }: EffectFailure): EffectFailure => {
  // Without the first half of a surrogate pair at its end.
  const kept = message.slice(0, LONGEST_BEGINNING).replace(/[\ud800-\udbff]$/, '')
  const rest = message.length - kept.length
  return {
    code,
    message: rest > 0 ? `${kept} … (${rest} more characters)` : message,
    ...(name !== undefined && { name }),
  }
}

export type AttemptFailed =
  | { readonly kind: 'retry'; /** The next attempt. */ readonly next: OpenEffect; readonly change: Change }
  | { readonly kind: 'given_up'; readonly delivery: EffectDelivery }

export const failAttempt = (
  effect: OpenEffect,
  failure: { readonly error: EffectFailure; readonly retryable: boolean },
  now: number,
): AttemptFailed => {
  const { kind, command, name, since, attempt, options, early } = effect
  const { error } = failure
  const dueAt = nextAttemptAt(options, attempt, failure.retryable, now)
  if (dueAt === undefined) {
    const data = JSON.stringify({ error, early })
    return { kind: 'given_up', delivery: { kind: 'effect_failure', at: now, command, name, attempt, data } }
  }
  const next: OpenEffect = { kind, command, name, since, options, attempt: attempt + 1, dueAt }
  const kept = attempt <= LAST_WHOLE_ATTEMPT ? error : beginningOf(error)
  const data = JSON.stringify({ error: kept, nextAttemptAt: new Date(dueAt).toISOString(), early })
  return {
    kind: 'retry',
    next,
    change: {
      entries: [{ at: now, type: 'effect_attempt_failed', command, name, attempt, data }],
      rescheduled: [next],
    },
  }
}

/** What an attempt that completed delivers. `data` is its `{ result? }`. */
export const effectResult = (
  { command, name, attempt, early }: OpenEffect,
  data: JsonText,
  now: number,
): EffectDelivery => ({
  kind: 'effect_result',
  at: now,
  command,
  name,
  attempt,
  data: early === true ? withEarly(data) : data,
})

const withEarly = (data: JsonText): JsonText =>
  data === '{}' ? '{"early":true}' : `${data.slice(0, -1)},"early":true}`

/** Queues the outcome of an effect for delivery. */
export const answerEffect = (live: LiveExecution, delivery: EffectDelivery): void => {
  live.effectDeliveries.push(delivery)
}

/** Marks the attempt as begun: it has no due time while it runs. */
export const beginAttempt = (live: LiveExecution, { dueAt: _, ...effect }: OpenEffect): void => {
  live.open.set(effect.command, effect)
}
