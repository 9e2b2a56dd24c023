// The short effects of one visit, which it performs itself. The outcome goes straight into the turn that it causes, so a
// short effect costs no write of its own.

import { answerEffect, type OpenEffect } from '../../src-runtime/engine/effect-attempts.ts'
import type { ExecutionHead } from '../../src-runtime/engine/execution-state.ts'
import type { JsonText } from '../../src-runtime/engine/journal.ts'
import { updateOpen } from '../../src-runtime/engine/live-execution.ts'
import { within } from '../../src-runtime/shared/within.ts'
import type { AttemptKey, Performed } from '../dispatch/dispatcher.ts'
import type { AskedAttempts } from './asked-attempts.ts'
import type { EffectSpeeds } from './effect-speeds.ts'
import type { AttemptPerformer, EndedAttempt } from './perform-attempts.ts'
import type { RunningAttempts } from './running-attempts.ts'
import type { OutcomeWriter } from './store-outcomes.ts'
import { answeredCommands, type VisitedExecution } from './visited-execution.ts'

/**
 * A visit begins no more of them once it has waited this long for some. A handler of Restate waits as long for an attempt
 * that goes by a message, and such an attempt costs ten times as much.
 */
const WAIT_BUDGET_MS = 1_000
/**
 * After this time without a turn, the visit must see what has come from outside. It waits 250 ms at once, and timers of a busy process
 * fire some milliseconds early: that must not make it wait twice.
 */
const LOOK_AFTER_MS = 200
/** More at once are shared among the workers. */
const MOST_AT_ONCE = 8
/**
 * For one that takes this long, though it was short before, the visit waits no more. Visits of timers hold claims, which many
 * workspaces share.
 */
const GIVE_UP_MS = 5_000

export type EffectsHere = {
  /** Whether the visit may perform it; otherwise it goes by a message. */
  admits(execution: VisitedExecution, effect: OpenEffect): boolean
  begin(execution: VisitedExecution, effect: OpenEffect, data: JsonText): void
  isRunning(command: number): boolean
  readonly count: number
  /** Some of them run, or have an outcome that no stored turn has delivered. */
  readonly hasOutcomes: boolean
  /** Some have ended, and all of them failed and will be repeated. */
  readonly hasOnlyFailed: boolean
  /** Whether the visit may wait any longer for what is short. */
  readonly mayWait: boolean
  /** Some take so long that the visit must see whether something has come from outside. */
  readonly isLate: boolean
  /** Settles when one of them has ended, or after `ms`. */
  next(ms: number): Promise<void>
  /** Hands the outcomes to the Execution. Rejects when a failed attempt cannot be stored. */
  settle(execution: VisitedExecution): Promise<EndedHere>
  /** Outcomes that were handed over, and that no turn has delivered yet, go to the Execution as it was loaded again. */
  handOverAgain(execution: VisitedExecution): void
  /** A turn was stored. */
  committed(execution: VisitedExecution): void
  /** The Execution has ended: nothing of them counts any more. */
  abort(): void
  /** The visit failed: what runs goes on to its end, and all outcomes are stored by themselves. */
  keep(): void
}

export type EndedHere = {
  /** What the outcomes cost that are delivered now. */
  readonly computeMs: number
  /** Attempts that somebody must be asked for: failed ones, and those for which the visit waits no more. */
  readonly byMessage: readonly number[]
}

type Ended = EndedAttempt & { readonly effect: OpenEffect }

/** Whether a visit performs the effect by itself, if it has time. */
export const isPerformedHere = (
  speeds: EffectSpeeds,
  { head, live }: Pick<VisitedExecution, 'live'> & { readonly head: Pick<ExecutionHead, 'versionId'> },
  effect: OpenEffect,
): boolean =>
  (effect.deaths ?? 0) === 0 && live.openEffects.size <= MOST_AT_ONCE && speeds.isShort(head.versionId, effect.name)

export const createEffectsHere = (deps: {
  readonly executionId: string
  readonly performer: AttemptPerformer
  readonly outcomes: OutcomeWriter
  readonly asked: Pick<AskedAttempts, 'follow' | 'letGo'>
  readonly running: RunningAttempts
  readonly speeds: EffectSpeeds
}): EffectsHere => {
  const { executionId, performer, outcomes, asked, running, speeds } = deps
  const begun = new Map<
    number,
    { readonly effect: OpenEffect; readonly at: number; readonly ran: Promise<Performed> }
  >()
  const ended: Ended[] = []
  /** Outcomes that the Execution has, and no stored turn. */
  let handedOver: Ended[] = []
  /** Those without an outcome here: they ran already, by a message, nobody could run them, or they were handed over. */
  const unknown: number[] = []
  let waitedMs = 0
  /** How long it had waited when the Execution was loaded or stored last. */
  let seenMs = 0
  /** Their outcomes are stored by themselves. */
  const kept = new Set<OpenEffect>()
  let onEnded = (): void => {}

  const keyOf = ({ command, attempt }: OpenEffect): AttemptKey => ({ executionId, command, attempt })

  const run = async (
    execution: VisitedExecution,
    effect: OpenEffect,
    data: JsonText,
    signal: AbortSignal,
    onBegin: () => void,
  ): Promise<Performed> => {
    const result = await performer.perform(execution.head, effect, data, signal, onBegin)
    if (result !== undefined && kept.has(effect)) return outcomes.store(keyOf(effect), result, signal)
    const performed: Performed = result === undefined ? await asked.letGo(keyOf(effect), signal) : { kind: 'nothing' }
    if (begun.get(effect.command)?.effect === effect) {
      begun.delete(effect.command)
      if (result !== undefined) ended.push({ effect, ...result })
      else if (performed.kind === 'again') unknown.push(effect.command)
      onEnded()
    }
    return performed
  }

  const keepRunning = (effect: OpenEffect, ran: Promise<Performed>): void => {
    begun.delete(effect.command)
    kept.add(effect)
    asked.follow(keyOf(effect), ran)
  }

  const giveUp = (): readonly number[] => {
    const late = [...begun].filter(([, { at }]) => performance.now() - at > GIVE_UP_MS)
    for (const [, { effect, ran }] of late) keepRunning(effect, ran)
    return late.map(([command]) => command)
  }

  const storeRetry = async (execution: VisitedExecution, { effect, ...result }: Ended): Promise<boolean> => {
    const { end } = result
    if (end.kind !== 'retry' || !(await outcomes.storeRetry(keyOf(effect), result))) return false
    execution.isStale = true
    updateOpen(execution.live, end.next)
    return true
  }

  return {
    admits: (execution, effect) =>
      waitedMs < WAIT_BUDGET_MS && begun.size < MOST_AT_ONCE && isPerformedHere(speeds, execution, effect),
    begin: (execution, effect, data) => {
      const { command } = effect
      const left = (): void => {
        if (begun.get(command)?.effect !== effect) return
        begun.delete(command)
        unknown.push(command)
        onEnded()
      }
      const ran = running.run(keyOf(effect), (signal, onBegin) => run(execution, effect, data, signal, onBegin))
      begun.set(command, { effect, at: performance.now(), ran })
      ran.then(left, left)
    },
    isRunning: (command) => begun.has(command),
    get count() {
      return begun.size + ended.length + unknown.length
    },
    get hasOutcomes() {
      return begun.size + ended.length + handedOver.length > 0
    },
    get hasOnlyFailed() {
      return ended.length > 0 && unknown.length === 0 && ended.every(({ end }) => end.kind === 'retry')
    },
    get mayWait() {
      return waitedMs < WAIT_BUDGET_MS
    },
    get isLate() {
      return begun.size > 0 && waitedMs - seenMs >= LOOK_AFTER_MS
    },
    next: async (ms) => {
      if (ended.length + unknown.length > 0) return
      const from = performance.now()
      const oneEnded = new Promise<void>((resolve) => {
        onEnded = resolve
      })
      await within(ms, oneEnded)
      onEnded = () => {}
      waitedMs += performance.now() - from
    },
    settle: async (execution) => {
      let costMs = 0
      execution.isStale ||= unknown.length > 0
      const byMessage = [...giveUp(), ...unknown.splice(0)]
      // One that cannot be stored now stays among those that `keep` stores.
      for (let one = ended[0]; one !== undefined; one = ended[0]) {
        const { effect, end, computeMs } = one
        const open = execution.live.open.get(effect.command)
        if (open?.kind !== 'effect' || open.attempt !== effect.attempt) {
          ended.shift()
          continue
        }
        if (end.kind === 'delivery') {
          answerEffect(execution.live, end.delivery)
          handedOver.push(one)
          costMs += computeMs
        } else if (await storeRetry(execution, one)) byMessage.push(effect.command)
        ended.shift()
      }
      return { computeMs: costMs, byMessage }
    },
    handOverAgain: (execution) => {
      seenMs = waitedMs
      const { live } = execution
      const answered = answeredCommands(execution)
      for (const { effect, end } of handedOver) {
        const open = live.open.get(effect.command)
        if (open?.kind !== 'effect' || open.attempt !== effect.attempt || answered.has(effect.command)) continue
        if (end.kind === 'delivery') answerEffect(live, end.delivery)
      }
    },
    committed: ({ live }) => {
      seenMs = waitedMs
      const left = new Set(live.effectDeliveries.map(({ command }) => command))
      handedOver = handedOver.filter(({ effect }) => left.has(effect.command))
    },
    abort: () => {
      for (const { effect } of begun.values()) running.abort(keyOf(effect))
      begun.clear()
      ended.length = 0
      handedOver.length = 0
      unknown.length = 0
    },
    keep: () => {
      for (const { effect, ran } of begun.values()) keepRunning(effect, ran)
      for (const { effect, ...result } of [...ended.splice(0), ...handedOver.splice(0)]) {
        const key = keyOf(effect)
        const stored = running.run(key, (signal, onBegin) => {
          onBegin()
          return outcomes.store(key, result, signal)
        })
        asked.follow(key, stored)
      }
    },
  }
}
