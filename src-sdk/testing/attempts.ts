// The attempts of effects: begun when they are due, answered by fakes, tried again by policy.

import type { EffectContext } from '../define-effect.ts'
import { web } from '../web-platform.ts'
import { pauseAfter } from './effect-policy.ts'
import { effectFailure, effectTimeout } from './failures.ts'
import type { FakeEffect, FakeFinder } from './fakes.ts'
import { present, travel } from './json-data.ts'
import { logOf } from './log.ts'
import { isOver, iso, record, type Failure, type OpenEffect, type State } from './state.ts'

export type Attempts = {
  /** The effects whose next attempt may begin now. */
  readonly due: () => readonly OpenEffect[]
  readonly begin: (effects: readonly OpenEffect[]) => void
  /** Fails the attempts that have used up their time. */
  readonly timeOut: () => void
  /** Fakes that have not answered, of attempts that still count. */
  readonly running: () => readonly Promise<void>[]
}

export const createAttempts = (executionId: string, state: State, fakes: FakeFinder): Attempts => {
  const running = new Map<OpenEffect, Promise<void>>()

  const effects = (phase: OpenEffect['phase']): readonly OpenEffect[] =>
    [...state.open.values()].filter(
      (open): open is OpenEffect => open.kind === 'effect' && open.phase === phase && open.dueAt <= state.now,
    )

  const answer = (effect: OpenEffect, result: unknown): void => {
    const travelled = travel(result)
    switch (travelled.kind) {
      case 'value':
        effect.phase = 'answered'
        state.answers.push({ command: effect.command, at: state.now, ok: true, result: travelled.value })
        return
      case 'invalid':
        return fail(state, effect, refusal('invalid_result', effect, `is not JSON: ${travelled.why}`), true)
      case 'too_large':
        return fail(
          state,
          effect,
          refusal('result_too_large', effect, `is ${travelled.bytes} bytes, more than 1048576`),
          true,
        )
    }
  }

  const begin = (effect: OpenEffect, fake: FakeEffect<unknown>): void => {
    const { attempt } = effect
    const controller = new web.AbortController()
    effect.phase = 'running'
    effect.dueAt = state.now + effect.policy.timeoutMs
    effect.abort = (reason) => controller.abort(reason)
    const isCurrent = (): boolean =>
      !isOver(state) &&
      state.open.get(effect.command) === effect &&
      effect.phase === 'running' &&
      effect.attempt === attempt
    const context: EffectContext = {
      executionId,
      attempt,
      idempotencyKey: `${executionId}/${effect.command}`,
      signal: controller.signal,
      log: logOf(state),
    }
    const asked = (async () => fake(effect.input, context))().then(
      (result) => {
        if (isCurrent()) answer(effect, result)
      },
      (thrown: unknown) => {
        if (!isCurrent()) return
        const { failure, retryable } = effectFailure(thrown)
        fail(state, effect, failure, retryable)
      },
    )
    running.set(effect, asked)
  }

  return {
    due: () => effects('due'),
    begin: (due) => {
      const found = due.map((effect) => [effect, fakes.find(effect.name, effect.reference)] as const)
      for (const [effect, fake] of found) begin(effect, fake)
    },
    timeOut: () => {
      for (const effect of effects('running')) {
        const failure = effectTimeout(effect.name, effect.policy.timeoutMs)
        effect.abort?.(named('TimeoutError', failure.message))
        fail(state, effect, failure, true)
      }
    },
    running: () => {
      for (const effect of running.keys()) {
        if (effect.phase !== 'running' || state.open.get(effect.command) !== effect) running.delete(effect)
      }
      return [...running.values()]
    },
  }
}

const fail = (state: State, effect: OpenEffect, failure: Failure, retryable: boolean): void => {
  const pause = pauseAfter(effect.policy, effect.attempt, retryable)
  if (pause === undefined) {
    effect.phase = 'answered'
    state.answers.push({ command: effect.command, at: state.now, ok: false, failure })
    return
  }
  const dueAt = state.now + pause
  const data = { error: present(failure), nextAttemptAt: iso(dueAt) }
  record(state, {
    type: 'effect_attempt_failed',
    command: effect.command,
    name: effect.name,
    attempt: effect.attempt,
    data,
  })
  effect.phase = 'due'
  effect.attempt += 1
  effect.dueAt = dueAt
}

const refusal = (code: string, { name }: OpenEffect, why: string): Failure => ({
  code,
  name: 'EffectError',
  message: `the result of effect "${name}" ${why}`,
})

export const named = (name: string, message: string): Error => Object.assign(new Error(message), { name })
