// Runs attempts of effects. An attempt begins once its `effect_scheduled` is durable. Its outcome is delivered, or
// leads to a retry, or is ignored because the Program no longer awaits it.

import type { Clock } from '../shared/clock.ts'
import type { EffectCall, EffectOutcome, EffectPerformer } from '../effects/effect-performer.ts'
import {
  answerEffect,
  beginAttempt,
  dueEffects,
  effectResult,
  failAttempt,
  failureByDeaths,
  MOST_DEATHS,
  runsAlone,
  type OpenEffect,
} from '../engine/effect-attempts.ts'
import type { Change } from '../engine/change.ts'
import { isTerminal } from '../engine/journal.ts'
import { updateOpen, type EffectDelivery } from '../engine/live-execution.ts'
import type { Decide, Store } from '../store/store.ts'
import type { UnderWay } from './under-way.ts'
import type { ActiveAttempt, ActiveExecution } from './active-execution.ts'
import { createAloneGate } from './alone-gate.ts'
import { effectCallOf, logData, unlessLarge } from './effect-call.ts'
import type { KeptAttempts } from './kept-attempts.ts'
import { createLogWriter } from './log-writer.ts'
import { readEffect } from './read-journal.ts'

/** Attempts of one Execution that begin without a pause: 0.1 ms each, in which nothing else happens. */
const BEGIN_AT_ONCE = 200

/**
 * So many of the attempts that may have killed the runtime begin together: all have begun within a minute, and if the runtime dies
 * again, few began last.
 */
const mostTogether = (begunBefore: number): number => Math.floor(begunBefore / 4)

export type EffectRunner = {
  /** Keeps small inputs of new effects until their attempts begin, so that these need not read them. */
  stored(active: ActiveExecution, change: Change): void
  /** Begins every attempt that may begin now; of very many, the rest one turn of the event loop after another. */
  begin(active: ActiveExecution): void
  /** Aborts the attempts of effects that the Program no longer awaits. */
  abortClosed(active: ActiveExecution): void
}

export const createEffectRunner = (deps: {
  readonly store: Pick<Store, 'executions' | 'journal'>
  readonly effects: EffectPerformer
  readonly clock: Clock
  readonly underWay: UnderWay
  readonly kept: KeptAttempts
  readonly runsEffects: boolean
  readonly onProgress: (active: ActiveExecution) => void
  /** Writes, calls `onStored`, then continues the Execution, which stays in memory until then. */
  readonly commit: (active: ActiveExecution, decide: Decide, onStored: () => void) => void
  /** The attempt has no outcome because of a fault in the runtime: the Execution continues from what is stored. */
  readonly onFault: (active: ActiveExecution, error: unknown) => void
}): EffectRunner => {
  const { store, effects, clock, underWay, kept, runsEffects, onProgress, commit, onFault } = deps
  const gate = createAloneGate(clock, mostTogether)
  const logs = createLogWriter(store.executions)

  const goOnBeginning = (active: ActiveExecution): void => {
    active.goesOnBeginning = true
    setImmediate(() => {
      active.goesOnBeginning = false
      active.effectsMayBegin = true
      onProgress(active)
    })
  }

  const attempt = async (active: ActiveExecution, effect: OpenEffect): Promise<void> => {
    const { command } = effect
    const goingOn = kept.of(active.key, effect)
    const own: ActiveAttempt = goingOn?.own ?? { controller: new AbortController(), hasBegun: false }
    active.attempts.set(command, own)
    beginAttempt(active.live, effect)
    const outcome = await (goingOn?.outcome ?? performKept(active, effect, own))
    if (active.gone || own.controller.signal.aborted || !active.live.open.has(command)) return
    settle(active, effect, outcome)
    onProgress(active)
  }

  const performKept = async (
    active: ActiveExecution,
    effect: OpenEffect,
    own: ActiveAttempt,
  ): Promise<EffectOutcome> => {
    const { key } = active
    const { command } = effect
    const { promise, resolve, reject } = Promise.withResolvers<EffectOutcome>()
    promise.catch(() => undefined) // nobody else may wait for it
    // Before it is performed, which may fail at once.
    kept.keep(key, command, { own, attempt: effect.attempt, outcome: promise })
    try {
      const outcome = await perform(active, effect, own)
      resolve(outcome)
      return outcome
    } catch (error) {
      kept.remove(key, command)
      reject(error)
      throw error
    }
  }

  const perform = async (active: ActiveExecution, effect: OpenEffect, own: ActiveAttempt): Promise<EffectOutcome> => {
    const advice = '`wes dev --no-effects` starts without running effects'
    const error = failureByDeaths(effect, { mostDeaths: MOST_DEATHS, advice })
    if (error !== undefined) return { kind: 'failed', error, retryable: true }
    const { command } = effect
    const noted = { executionId: active.id, command, attempt: effect.attempt }
    const { signal } = own.controller
    let hasEnded = false
    const noteEnd = (): void => {
      if (own.hasBegun) underWay.end(noted)
    }
    const call = effectCallOf(active, effect, {
      data: dataOf(active, command),
      signal,
      onLog: (line) => {
        if (hasEnded || signal.aborted) return
        logs.write(active.key, { at: clock.now(), type: 'log', data: logData(line) })
      },
      onBegin: () => {
        if (!own.hasBegun) underWay.begin(noted)
        own.hasBegun = true
      },
      onWait: () => {
        noteEnd()
        own.hasBegun = false
      },
    })
    try {
      return await gate.run(runsAlone(effect), signal, () => effects.perform(call))
    } finally {
      hasEnded = true
      noteEnd()
    }
  }

  const dataOf = (active: ActiveExecution, command: number): EffectCall['data'] => {
    const justStored = active.effectData.get(command)
    active.effectData.delete(command)
    if (justStored !== undefined) return justStored
    const read = () => readEffect(store.journal, active.key, command)
    return unlessLarge(read(), () => {
      try {
        return read()
      } catch (error) {
        // No attempt of the effect has failed.
        kept.remove(active.key, command)
        onFault(active, error)
        throw error
      }
    })
  }

  const settle = (active: ActiveExecution, effect: OpenEffect, outcome: EffectOutcome): void => {
    const { command } = effect
    const now = clock.now()
    if (outcome.kind === 'completed') return answer(active, effectResult(effect, outcome.data, now))
    const failed = failAttempt(effect, outcome, now)
    if (failed.kind === 'given_up') return answer(active, failed.delivery)
    // The attempt counts as running until its failure is stored: the next one may be due before that.
    commit(
      active,
      ({ head }) => (isTerminal(head.status) ? undefined : failed.change),
      () => {
        active.attempts.delete(command)
        updateOpen(active.live, failed.next)
      },
    )
  }

  const answer = (active: ActiveExecution, delivery: EffectDelivery): void => {
    active.attempts.delete(delivery.command)
    answerEffect(active.live, delivery)
  }

  return {
    stored: ({ effectData, live }, { entries = [] }) => {
      if (!runsEffects) return
      for (const { type, command = 0, data = '' } of entries) {
        const small = type === 'effect_scheduled' && live.openEffects.has(command) && unlessLarge(data, undefined)
        if (small) effectData.set(command, small)
      }
    },
    begin: (active) => {
      const { live } = active
      const now = clock.now()
      if (active.goesOnBeginning || live.openEffects.size === 0) return
      if (!active.effectsMayBegin && now < live.noneDueBefore) return
      active.effectsMayBegin = false
      const answered = new Set(live.effectDeliveries.map(({ command }) => command))
      let begun = 0
      for (const effect of dueEffects(live, now)) {
        const { command } = effect
        if (!runsEffects) {
          beginAttempt(live, effect) // clears the due time: no wake-up for an effect that may not run
          continue
        }
        if (command > active.durableCommand || active.attempts.has(command) || answered.has(command)) continue
        if (begun === BEGIN_AT_ONCE) {
          goOnBeginning(active)
          break
        }
        begun += 1
        attempt(active, effect).catch((error: unknown) => onFault(active, error))
      }
    },
    abortClosed: (active) => {
      active.effectData.clear()
      for (const [command, { controller }] of active.attempts) {
        if (active.live.open.has(command)) continue
        controller.abort()
        active.attempts.delete(command)
      }
    },
  }
}
