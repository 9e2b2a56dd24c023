// The short effects of one visit, which it performs itself. The outcome goes straight into the turn that it causes, so a
// short effect costs no write of its own.

import { answerEffect, type OpenEffect } from '../../src-runtime/engine/effect-attempts.ts'
import type { JsonText } from '../../src-runtime/engine/journal.ts'
import { updateOpen } from '../../src-runtime/engine/live-execution.ts'
import type { Performed } from '../dispatch/dispatcher.ts'
import type { EngineStore } from '../store/store.ts'
import type { EffectSpeeds } from './effect-speeds.ts'
import type { AttemptEnd, AttemptPerformer } from './perform-attempts.ts'
import type { RunningAttempts } from './running-attempts.ts'
import type { VisitedExecution } from './visited-execution.ts'

/** A visit begins no more of them once it has waited this long for some. */
const WAIT_BUDGET_MS = 250
/** More at once are shared among the workers. */
const MOST_AT_ONCE = 8
/** One that takes this long, though it was short before, begins again by a message of its own. */
const GIVE_UP_MS = 20_000

export type EffectsHere = {
  /** Whether the visit may perform it; otherwise it goes by a message. */
  admits(execution: VisitedExecution, effect: OpenEffect): boolean
  begin(execution: VisitedExecution, effect: OpenEffect, data: JsonText): void
  isRunning(command: number): boolean
  readonly count: number
  /** Whether the visit may wait any longer for what is short. */
  readonly mayWait: boolean
  /** Some take longer than the visit should wait: it must see what comes from outside. */
  readonly isLate: boolean
  /** Settles when one of them has ended, or after `ms`. */
  next(ms: number): Promise<void>
  /** Hands the outcomes to the Execution, and aborts what has taken too long. Rejects when a failed attempt cannot be stored. */
  settle(execution: VisitedExecution): Promise<EndedHere>
  /** Nothing of them counts any more. */
  abort(): void
}

export type EndedHere = {
  /** What the outcomes cost that are delivered now. */
  readonly computeMs: number
  /** Attempts that must go by a message. */
  readonly byMessage: readonly number[]
}

type Ended = { readonly effect: OpenEffect; readonly end: AttemptEnd; readonly computeMs: number }

export const createEffectsHere = (deps: {
  readonly store: Pick<EngineStore, 'outcome'>
  readonly performer: AttemptPerformer
  readonly running: RunningAttempts
  readonly speeds: EffectSpeeds
}): EffectsHere => {
  const { store, performer, running, speeds } = deps
  const begun = new Map<number, { readonly effect: OpenEffect; readonly executionId: string; readonly at: number }>()
  const ended: Ended[] = []
  /** Those without an outcome here: they ran already, by a message, or nobody could run them. */
  const unknown: number[] = []
  let waitedMs = 0
  let onEnded = (): void => {}

  const run = async (
    execution: VisitedExecution,
    effect: OpenEffect,
    data: JsonText,
    signal: AbortSignal,
  ): Promise<Performed> => {
    const result = await performer.performHere(execution.head, effect, data, signal)
    if (begun.get(effect.command)?.effect === effect) {
      begun.delete(effect.command)
      if (result !== undefined) ended.push({ effect, ...result })
      onEnded()
    }
    return { kind: 'nothing' }
  }

  const giveUp = (): readonly number[] => {
    const late = [...begun].filter(([, { at }]) => performance.now() - at > GIVE_UP_MS)
    for (const [command, { executionId, effect }] of late) {
      begun.delete(command)
      running.abort({ executionId, command, attempt: effect.attempt })
    }
    return late.map(([command]) => command)
  }

  const storeRetry = async (execution: VisitedExecution, { effect, end, computeMs }: Ended): Promise<boolean> => {
    if (end.kind !== 'retry') return false
    const { command, attempt } = effect
    const [entry] = end.change.entries ?? []
    const key = { executionId: execution.id, command, attempt }
    const wakeAt = performer.wakeAtOf(end.next)
    const stored = await store.outcome(key, { kind: 'retry', next: end.next, entry: entry!, wakeAt, computeMs })
    if (stored.kind !== 'stored') return false
    execution.isStale = true
    updateOpen(execution.live, end.next)
    return true
  }

  return {
    admits: ({ head, live }, effect) =>
      (effect.deaths ?? 0) === 0 &&
      waitedMs < WAIT_BUDGET_MS &&
      begun.size < MOST_AT_ONCE &&
      live.openEffects.size <= MOST_AT_ONCE &&
      speeds.isShort(head.versionId, effect.name),
    begin: (execution, effect, data) => {
      const { command, attempt } = effect
      const key = { executionId: execution.id, command, attempt }
      begun.set(command, { effect, executionId: execution.id, at: performance.now() })
      const left = (): void => {
        if (begun.get(command)?.effect !== effect) return
        begun.delete(command)
        unknown.push(command)
        onEnded()
      }
      running.run(key, (signal) => run(execution, effect, data, signal)).then(left, left)
    },
    isRunning: (command) => begun.has(command),
    get count() {
      return begun.size + ended.length + unknown.length
    },
    get mayWait() {
      return waitedMs < WAIT_BUDGET_MS
    },
    get isLate() {
      return begun.size > 0 && waitedMs >= WAIT_BUDGET_MS
    },
    next: async (ms) => {
      if (ended.length + unknown.length > 0) return
      const from = performance.now()
      let timer: NodeJS.Timeout | undefined
      await new Promise<void>((resolve) => {
        onEnded = resolve
        timer = setTimeout(resolve, ms)
      })
      clearTimeout(timer)
      onEnded = () => {}
      waitedMs += performance.now() - from
    },
    settle: async (execution) => {
      let costMs = 0
      execution.isStale ||= unknown.length > 0
      const byMessage = [...giveUp(), ...unknown.splice(0)]
      for (const one of ended.splice(0)) {
        const { effect, end, computeMs } = one
        const open = execution.live.open.get(effect.command)
        if (open?.kind !== 'effect' || open.attempt !== effect.attempt) continue
        if (end.kind === 'delivery') {
          answerEffect(execution.live, end.delivery)
          costMs += computeMs
        } else if (await storeRetry(execution, one)) byMessage.push(effect.command)
      }
      return { computeMs: costMs, byMessage }
    },
    abort: () => {
      for (const [command, { executionId, effect }] of begun) {
        running.abort({ executionId, command, attempt: effect.attempt })
      }
      begun.clear()
      ended.length = 0
      unknown.length = 0
    },
  }
}
