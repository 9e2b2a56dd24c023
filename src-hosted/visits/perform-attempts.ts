// Performs attempts of effects: those that Restate asks for, and short ones within a visit.

import type { EffectCall, EffectOutcome, EffectPerformer } from '../../src-runtime/effects/effect-performer.ts'
import {
  effectResult,
  failAttempt,
  failureByDeaths,
  runsAlone,
  type AttemptFailed,
  type OpenEffect,
} from '../../src-runtime/engine/effect-attempts.ts'
import type { ExecutionHead } from '../../src-runtime/engine/execution-state.ts'
import type { JsonText } from '../../src-runtime/engine/journal.ts'
import type { EffectDelivery } from '../../src-runtime/engine/live-execution.ts'
import { effectTimeoutMs } from '../../src-runtime/engine/retry-policy.ts'
import type { AloneGate } from '../../src-runtime/worker/alone-gate.ts'
import type { AttemptKey, Performed } from '../dispatch/dispatcher.ts'
import type { EngineStore } from '../store/store.ts'
import type { EffectLogs } from './effect-logs.ts'
import type { EffectSpeeds } from './effect-speeds.ts'
import { UNOWNED_LEASE_MS } from './look-again.ts'
import type { RunningAttempts } from './running-attempts.ts'

/** What identifies the Execution of an effect to those who perform it. */
export type EffectOwner = Pick<ExecutionHead, 'key' | 'id' | 'programId' | 'versionId'>

/** What an attempt led to: a delivery, or another attempt. */
export type AttemptEnd =
  | { readonly kind: 'delivery'; readonly delivery: EffectDelivery }
  | Extract<AttemptFailed, { kind: 'retry' }>

export type AttemptPerformer = {
  /** Performs it, unless its outcome is stored. Rejects when the store cannot be reached. */
  perform(key: AttemptKey): Promise<Performed>
  /** Performs an attempt and stores nothing; `undefined` when nobody wants the outcome any more. */
  performHere(
    owner: EffectOwner,
    effect: OpenEffect,
    data: JsonText,
    signal: AbortSignal,
  ): Promise<{ readonly end: AttemptEnd; readonly computeMs: number } | undefined>
  /** When the attempt after a failed one is to be looked for, whatever happened to messages. */
  wakeAtOf(next: OpenEffect): number
}

/** A message that comes this much too early is not worth another one. */
const EARLY_MS = 20

export const createAttemptPerformer = (deps: {
  readonly store: Pick<EngineStore, 'takeAttempt' | 'letGo' | 'outcome'>
  readonly effects: Pick<EffectPerformer, 'perform'>
  readonly running: RunningAttempts
  readonly speeds: EffectSpeeds
  readonly gate: AloneGate
  readonly logs: EffectLogs
  /** Identifies this process: an attempt that another one had taken, and not let go, saw that one die. */
  readonly performer: string
  readonly now: () => number
}): AttemptPerformer => {
  const { store, effects, running, speeds, gate, logs, performer, now } = deps

  const call = async (
    owner: EffectOwner,
    effect: OpenEffect,
    data: JsonText,
    signal: AbortSignal,
  ): Promise<EffectOutcome> => {
    const error = failureByDeaths(effect)
    if (error !== undefined) return { kind: 'failed', error, retryable: true }
    const { command, name, attempt, options } = effect
    let isOver = false
    const attemptCall: EffectCall = {
      executionId: owner.id,
      programId: owner.programId,
      versionId: owner.versionId,
      name,
      attempt,
      idempotencyKey: `${owner.id}/${command}`,
      data,
      timeoutMs: effectTimeoutMs(options),
      signal,
      onLog: ({ level, message }) => {
        if (isOver || signal.aborted) return
        logs.write(owner.key, { at: now(), type: 'log', data: JSON.stringify({ level, message }) })
      },
    }
    try {
      return await gate.run(runsAlone(effect), () => effects.perform(attemptCall))
    } finally {
      isOver = true
    }
  }

  const performHere: AttemptPerformer['performHere'] = async (owner, effect, data, signal) => {
    const begun = performance.now()
    const outcome = await call(owner, effect, data, signal)
    if (signal.aborted) return undefined
    const computeMs = performance.now() - begun
    speeds.note(owner.versionId, effect.name, computeMs)
    // What it logged stands before its outcome, and is not refused because the Execution has ended.
    await logs.written(owner.key)
    if (outcome.kind === 'completed') {
      return { end: { kind: 'delivery', delivery: effectResult(effect, outcome.data, now()) }, computeMs }
    }
    const failed = failAttempt(effect, outcome, now())
    const end: AttemptEnd = failed.kind === 'retry' ? failed : { kind: 'delivery', delivery: failed.delivery }
    return { end, computeMs }
  }

  const wakeAtOf = (next: OpenEffect): number => (next.dueAt ?? now()) + UNOWNED_LEASE_MS

  const again = (next: OpenEffect): Performed => ({
    kind: 'again',
    attempt: next.attempt,
    delayMs: Math.max(0, (next.dueAt ?? 0) - now()),
  })

  const performTaken = async (key: AttemptKey, signal: AbortSignal): Promise<Performed> => {
    const taken = await store.takeAttempt(key, performer)
    // It may have an outcome that its Execution was not told of, because whoever stored it died.
    if (taken === undefined) return { kind: 'poke' }
    const { head, effect, data } = taken
    if ((effect.dueAt ?? 0) > now() + EARLY_MS) {
      await store.letGo(key, performer)
      return again(effect)
    }
    const ended = await performHere(head, effect, data, signal)
    if (ended === undefined) {
      await store.letGo(key, performer)
      // Restate asks another worker, or this one's successor, for an attempt that fails here.
      if (running.isDraining) throw new Error('this worker stops')
      return { kind: 'nothing' }
    }
    const { end, computeMs } = ended
    if (end.kind === 'delivery') {
      const kind = end.delivery.kind === 'effect_result' ? 'result' : 'failure'
      const stored = await store.outcome(key, { kind, data: end.delivery.data, computeMs })
      return stored.kind === 'stored' && stored.wake ? { kind: 'poke' } : { kind: 'nothing' }
    }
    const [entry] = end.change.entries ?? []
    const stored = await store.outcome(key, {
      kind: 'retry',
      next: end.next,
      entry: entry!,
      wakeAt: wakeAtOf(end.next),
      computeMs,
    })
    return stored.kind === 'stored' ? again(end.next) : { kind: 'nothing' }
  }

  return {
    perform: (key) => running.run(key, (signal) => performTaken(key, signal)),
    performHere,
    wakeAtOf,
  }
}
