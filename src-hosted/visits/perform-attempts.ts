// Performs attempts of effects, whoever asks for them, and says what follows.

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
import type { AloneGate } from '../../src-runtime/worker/alone-gate.ts'
import { effectCallOf, logData } from '../../src-runtime/worker/effect-call.ts'
import type { AttemptKey } from '../dispatch/dispatcher.ts'
import type { EffectLogs } from './effect-logs.ts'
import type { EffectSpeeds } from './effect-speeds.ts'

/** What identifies the Execution of an effect to those who perform it. */
export type EffectOwner = Pick<ExecutionHead, 'key' | 'id' | 'programId' | 'versionId'>

/** What an attempt led to: a delivery, or another attempt. */
export type AttemptEnd =
  | { readonly kind: 'delivery'; readonly delivery: EffectDelivery }
  | Extract<AttemptFailed, { kind: 'retry' }>

export type EndedAttempt = { readonly end: AttemptEnd; readonly computeMs: number }

export type AttemptData = JsonText | (() => Promise<JsonText>)

export type AttemptPerformer = {
  /**
   * Performs an attempt and stores nothing; `undefined` when nobody wants the outcome any more. `data` that is large is read
   * once the attempt has a place. `onBegin` is called when the effect begins.
   */
  perform(
    owner: EffectOwner,
    effect: OpenEffect,
    data: AttemptData,
    signal: AbortSignal,
    onBegin?: () => void,
  ): Promise<EndedAttempt | undefined>
}

export const createAttemptPerformer = (deps: {
  readonly effects: Pick<EffectPerformer, 'perform'>
  readonly speeds: EffectSpeeds
  readonly gate: AloneGate
  readonly logs: EffectLogs
  /** Settles once it is stored whether the attempt is under way. Rejects when `signal` aborts before. */
  readonly noteUnderWay: (key: AttemptKey, isUnderWay: boolean, signal: AbortSignal) => Promise<void>
  readonly now: () => number
}): AttemptPerformer => {
  const { effects, speeds, gate, logs, noteUnderWay, now } = deps

  const call = async (
    owner: EffectOwner,
    effect: OpenEffect,
    data: AttemptData,
    signal: AbortSignal,
    on: Pick<EffectCall, 'onBegin' | 'onRun'>,
  ): Promise<EffectOutcome> => {
    const error = failureByDeaths(effect)
    if (error !== undefined) return { kind: 'failed', error, retryable: true }
    let isOver = false
    const { command, attempt, deaths } = effect
    const key = { executionId: owner.id, command, attempt }
    const attemptCall = effectCallOf(owner, effect, {
      ...(typeof data === 'string' ? { data } : { data: '', readData: data }),
      signal,
      ...on,
      ...(deaths !== undefined && {
        noteUnderWay: (isUnderWay: boolean) => noteUnderWay(key, isUnderWay, signal),
      }),
      onLog: (line) => {
        if (isOver || signal.aborted) return
        logs.write(owner.key, { at: now(), type: 'log', data: logData(line) })
      },
    })
    try {
      return await gate.run(runsAlone(effect), signal, () => effects.perform(attemptCall))
    } finally {
      isOver = true
    }
  }

  const perform: AttemptPerformer['perform'] = async (owner, effect, data, signal, onBegin) => {
    const askedAt = performance.now()
    let ranFrom: number | undefined
    const outcome = await call(owner, effect, data, signal, {
      ...(onBegin !== undefined && { onBegin }),
      onRun: () => (ranFrom = performance.now()),
    })
    if (signal.aborted) return undefined
    const endedAt = performance.now()
    speeds.note(owner.versionId, effect.name, endedAt - askedAt)
    // Without the wait for a place, or for a process that starts and loads: nobody pays for that.
    const computeMs = endedAt - (ranFrom ?? endedAt)
    // What it logged stands before its outcome, and is not refused because the Execution has ended.
    await logs.written(owner.key)
    if (outcome.kind === 'completed') {
      return { end: { kind: 'delivery', delivery: effectResult(effect, outcome.data, now()) }, computeMs }
    }
    const failed = failAttempt(effect, outcome, now())
    const end: AttemptEnd = failed.kind === 'retry' ? failed : { kind: 'delivery', delivery: failed.delivery }
    return { end, computeMs }
  }

  return { perform }
}
