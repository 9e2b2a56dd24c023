// The attempts of effects that run in this process. None runs twice here, and an attempt is aborted when its Program no
// longer awaits the effect.

import type { LiveExecution } from '../../src-runtime/engine/live-execution.ts'
import { within } from '../../src-runtime/shared/within.ts'
import type { AttemptKey, Performed } from '../dispatch/dispatcher.ts'

export type RunningAttempts = {
  /**
   * Runs the attempt. If it runs already, answers the promise of that run. The signal of `run` aborts when the outcome is
   * not wanted any more. `run` calls `onBegin` when the effect begins: before that, another process may as well perform it.
   */
  run(key: AttemptKey, run: (signal: AbortSignal, onBegin: () => void) => Promise<Performed>): Promise<Performed>
  /**
   * Aborts the Execution's attempts whose effects are not open; all of them without `live`, because it has ended. A newer
   * attempt than that of `live` began after that was read.
   */
  abortClosed(executionId: string, live: Pick<LiveExecution, 'open'> | undefined): void
  /** Aborts the attempt. It may run again at once. */
  abort(key: AttemptKey): void
  has(key: AttemptKey): boolean
  readonly size: number
  /** Attempts that began longer ago than `ms`. */
  olderThan(ms: number): readonly AttemptKey[]
  readonly isDraining: boolean
  /** Calls back when the turn, or the wait for one, that begins now should be handed over. Call the returned function when it has ended. */
  whenCut(listener: () => void): () => void
  /**
   * Each turn that runs now is handed over once it has taken long, and so are visits that wait for a place. Attempts that have not begun are
   * aborted: they would begin in the places of others.
   */
  handOver(): void
  /** Whether the attempt of this signal was aborted so that another worker performs it. */
  isHandedOver(signal: AbortSignal): boolean
  /** How often `handOver` was called. */
  readonly cuts: number
  /** Hands over. Settles when nothing runs, or after `graceMs`; aborts what still runs then, and waits a moment for it. */
  drain(graceMs: number): Promise<void>
}

/** Nearly all turns take milliseconds; a turn that takes longer than this may be an endless loop. */
const TURN_GRACE_MS = 250

/** Unless PostgreSQL is silent. */
const ABORTED_WITHIN_MS = 1_000

type Running = {
  readonly key: AttemptKey
  readonly begunAt: number
  readonly controller: AbortController
  readonly ended: Promise<Performed>
}

/** For keys of maps. */
export const textOf = ({ executionId, command, attempt }: AttemptKey): string => `${executionId}.${command}.${attempt}`

type RunningTurn = { readonly begunAt: number; readonly cut: () => void; timer?: NodeJS.Timeout }

export const createRunningAttempts = (): RunningAttempts => {
  const running = new Map<string, Running>()
  /** Of attempts that have not begun. */
  const waiting = new Set<AbortController>()
  const handedOver = new WeakSet<AbortSignal>()
  let isDraining = false
  const turns = new Set<RunningTurn>()
  const byExecution = new Map<string, Set<Running>>()

  const add = (one: Running): void => {
    const { executionId } = one.key
    running.set(textOf(one.key), one)
    const others = byExecution.get(executionId)
    if (others === undefined) byExecution.set(executionId, new Set([one]))
    else others.add(one)
  }
  const remove = (one: Running): void => {
    const { executionId } = one.key
    if (running.get(textOf(one.key)) === one) running.delete(textOf(one.key))
    waiting.delete(one.controller)
    const others = byExecution.get(executionId)
    others?.delete(one)
    if (others?.size === 0) byExecution.delete(executionId)
  }

  const cutOnceLong = (turn: RunningTurn): void => {
    turn.timer ??= setTimeout(turn.cut, Math.max(0, turn.begunAt + TURN_GRACE_MS - performance.now()))
  }
  const abortForOthers = (controller: AbortController): void => {
    if (!controller.signal.aborted) handedOver.add(controller.signal)
    controller.abort()
  }
  let cuts = 0
  const handOver = (): void => {
    cuts += 1
    for (const turn of turns) cutOnceLong(turn)
    for (const controller of waiting) abortForOthers(controller)
  }

  return {
    run: (key, run) => {
      const already = running.get(textOf(key))
      if (already !== undefined) return already.ended
      const controller = new AbortController()
      waiting.add(controller)
      const ended = run(controller.signal, () => waiting.delete(controller)).finally(() => remove(one))
      const one: Running = { key, begunAt: performance.now(), controller, ended }
      add(one)
      return ended
    },
    abortClosed: (executionId, live) => {
      for (const { key, controller } of byExecution.get(executionId) ?? []) {
        const open = live?.open.get(key.command)
        if (open?.kind !== 'effect' || open.attempt > key.attempt) controller.abort()
      }
    },
    abort: (key) => {
      const one = running.get(textOf(key))
      if (one === undefined) return
      remove(one)
      one.controller.abort()
    },
    has: (key) => running.has(textOf(key)),
    get size() {
      return running.size
    },
    olderThan: (ms) => {
      const before = performance.now() - ms
      return [...running.values()].filter(({ begunAt }) => begunAt < before).map(({ key }) => key)
    },
    get isDraining() {
      return isDraining
    },
    handOver,
    isHandedOver: (signal) => handedOver.has(signal),
    get cuts() {
      return cuts
    },
    whenCut: (cut) => {
      const turn: RunningTurn = { begunAt: performance.now(), cut }
      turns.add(turn)
      if (isDraining) cutOnceLong(turn)
      return () => {
        turns.delete(turn)
        clearTimeout(turn.timer)
      }
    },
    drain: async (graceMs) => {
      isDraining = true
      handOver()
      await within(graceMs, Promise.allSettled([...running.values()].map(({ ended }) => ended)))
      for (const { controller } of running.values()) abortForOthers(controller)
      await within(ABORTED_WITHIN_MS, Promise.allSettled([...running.values()].map(({ ended }) => ended)))
    },
  }
}
