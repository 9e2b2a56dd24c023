// Runs the attempts of effects: starts them when due, calls the fakes, and retries as the engine decides.

import {
  answerEffect,
  dueEffects,
  effectResult,
  failAttempt,
  type OpenEffect,
} from '../../src-runtime/engine/effect-attempts.ts'
import { isTerminal } from '../../src-runtime/engine/journal.ts'
import { updateOpen, type LiveExecution } from '../../src-runtime/engine/live-execution.ts'
import type { MemoryRow } from '../../src-runtime/engine/memory-row.ts'
import { effectTimeoutMs } from '../../src-runtime/engine/retry-policy.ts'
import type { EffectContext } from '../define-effect.ts'
import { web } from '../web-platform.ts'
import { watchConsole, withConsole } from './console.ts'
import { attemptFailure, effectFailure, type AttemptFailure } from './failures.ts'
import type { FakeEffect } from './fakes.ts'
import { DEEPEST, jsonObject, travel } from './json-data.ts'
import { createAttemptLog } from './log.ts'

export type Attempts = {
  /** The effects whose next attempt may begin now. */
  readonly due: () => readonly OpenEffect[]
  /** Starts all of them. Throws, and starts none, when one has no fake. */
  readonly begin: (effects: readonly OpenEffect[]) => void
  /** Fails the attempts that have timed out. */
  readonly timeOut: () => void
  /** When the next attempt times out or may begin; `Infinity` when there is none. */
  readonly nextDueAt: () => number
  /** Aborts attempts whose result is no longer needed. */
  readonly dropClosed: () => void
  readonly running: () => readonly Promise<void>[]
}

type Attempt = {
  readonly effect: OpenEffect
  readonly timesOutAt: number
  readonly abort: (reason: Error) => void
  /** Later output is not that of the attempt. */
  readonly endLog: () => void
  readonly answered: Promise<void>
}

export const createAttempts = (
  executionId: string,
  row: MemoryRow,
  live: LiveExecution,
  now: () => number,
  findFake: (effect: OpenEffect) => FakeEffect<unknown>,
  inputOf: (command: number) => unknown,
): Attempts => {
  const running = new Map<number, Attempt>()

  const end = (command: number): void => {
    running.get(command)?.endLog()
    running.delete(command)
  }

  const fail = (effect: OpenEffect, failure: AttemptFailure): void => {
    end(effect.command)
    const failed = failAttempt(effect, failure, now())
    if (failed.kind === 'given_up') return answerEffect(live, failed.delivery)
    row.change(() => failed.change)
    updateOpen(live, failed.next)
  }

  const answer = (effect: OpenEffect, result: unknown): void => {
    const { command, name } = effect
    const travelled = travel(result)
    switch (travelled.kind) {
      case 'value': {
        end(command)
        const data = jsonObject({ result: travelled.text })
        return answerEffect(live, effectResult(effect, data, now()))
      }
      case 'not_json':
        return fail(effect, invalidResult(name, `cannot be turned into JSON: ${travelled.why}`))
      case 'other_type':
        return fail(effect, invalidResult(name, `is a ${travelled.type}, which JSON cannot express`))
      case 'too_deep':
        return fail(effect, invalidResult(name, `is nested over ${DEEPEST} levels`))
      case 'too_large': {
        const message = `the result of effect "${name}" is larger than 1 MiB as JSON (${travelled.bytes} bytes)`
        return fail(effect, attemptFailure('result_too_large', message))
      }
    }
  }

  const begin = (effect: OpenEffect, fake: FakeEffect<unknown>): void => {
    const { command, attempt } = effect
    const controller = new web.AbortController()
    const log = createAttemptLog((data) =>
      row.change((head) => (isTerminal(head.status) ? undefined : { entries: [{ at: now(), type: 'log', data }] })),
    )
    const unwatch = watchConsole()
    const endLog = (): void => {
      log.close()
      unwatch()
    }
    const context: EffectContext = {
      executionId,
      attempt,
      idempotencyKey: `${executionId}/${command}`,
      signal: controller.signal,
      log: log.log,
    }
    const isCurrent = (): boolean => running.get(command)?.effect === effect
    const input = inputOf(command)
    const answered = withConsole(log.console, async () => fake(input, context)).then(
      (result) => {
        if (isCurrent()) answer(effect, result)
      },
      (thrown: unknown) => {
        if (isCurrent()) fail(effect, effectFailure(thrown))
      },
    )
    const abort = (reason: Error): void => withConsole(log.console, () => controller.abort(reason))
    running.set(command, { effect, timesOutAt: now() + effectTimeoutMs(effect.options), abort, endLog, answered })
  }

  const isIdle = ({ command }: OpenEffect): boolean =>
    !running.has(command) && !live.effectDeliveries.some((delivery) => delivery.command === command)

  return {
    due: () => dueEffects(live, now()).filter(isIdle),
    begin: (due) => {
      const found = due.map((effect) => [effect, findFake(effect)] as const)
      for (const [effect, fake] of found) begin(effect, fake)
    },
    timeOut: () => {
      for (const { effect, timesOutAt, abort } of running.values()) {
        if (timesOutAt > now()) continue
        const seconds = Number((effectTimeoutMs(effect.options) / 1_000).toPrecision(3))
        const message = `effect "${effect.name}" timed out after ${seconds} s`
        abort(new web.DOMException(message, 'TimeoutError'))
        fail(effect, attemptFailure('effect_timeout', message))
      }
    },
    nextDueAt: () => {
      const timeouts = [...running.values()].map(({ timesOutAt }) => timesOutAt)
      const pauses = dueEffects(live, Infinity).filter(isIdle)
      return Math.min(Infinity, ...timeouts, ...pauses.map(({ dueAt = 0 }) => dueAt))
    },
    dropClosed: () => {
      for (const [command, { abort }] of running) {
        if (live.open.has(command) && !live.ended) continue
        end(command)
        abort(new web.DOMException('the Execution no longer awaits this', 'AbortError'))
      }
    },
    running: () => [...running.values()].map(({ answered }) => answered),
  }
}

const invalidResult = (name: string, why: string): AttemptFailure =>
  attemptFailure('invalid_result', `the result of effect "${name}" ${why}`)
