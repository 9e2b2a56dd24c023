// First turns that were not in time for their start. The visit that follows in this process waits for them, instead of running them a
// second time.

import type { Activation, ActivationResult, ProgramHosts } from '../../src-runtime/sandbox/program-hosts.ts'

type Hosts = Pick<ProgramHosts, 'activate' | 'forget'>

export type FirstTurn = {
  readonly activation: Activation
  readonly running: Promise<ActivationResult>
  /** See `onAlone` of `ProgramHosts.activate`. */
  readonly whenAlone: Promise<void>
}

/** Hosts for visits, which answer with a first turn that is kept for them. */
export type LateTurns = Hosts & {
  /** Runs the first turn of an Execution that is not stored yet. */
  runAhead(activation: Activation): FirstTurn
  /** The start is stored without its first turn, which may still run. */
  keep(turn: FirstTurn): void
  isKept(executionId: string): boolean
  /** Nobody goes on with it. The host may still run it. */
  abandon(turn: FirstTurn): void
  /** The start was not stored: drops its first turn. */
  drop(executionId: string): void
}

/** After its end. The visit may wait for a place, or come to another process. */
const KEPT_MS = 10_000

export const createLateTurns = (hosts: Hosts): LateTurns => {
  const kept = new Map<string, FirstTurn>()

  const forgetOnceEnded = async ({ activation, running }: FirstTurn): Promise<void> => {
    await running.catch(() => {})
    hosts.forget(activation.executionId)
  }

  const dropUntaken = (executionId: string): void => {
    if (kept.delete(executionId)) hosts.forget(executionId)
  }

  return {
    runAhead: (activation) => {
      const { promise: whenAlone, resolve } = Promise.withResolvers<void>()
      return { activation, running: hosts.activate(activation, resolve), whenAlone }
    },
    keep: (turn) => {
      const { executionId } = turn.activation
      kept.set(executionId, turn)
      // The timer does not hold the turn, whose output may be large.
      const dropLater = (): void => {
        if (kept.has(executionId)) setTimeout(dropUntaken, KEPT_MS, executionId).unref()
      }
      turn.running.then(dropLater, dropLater)
    },
    isKept: (executionId) => kept.has(executionId),
    abandon: (turn) => void forgetOnceEnded(turn),
    drop: (executionId) => {
      const turn = kept.get(executionId)
      if (turn === undefined) return hosts.forget(executionId)
      kept.delete(executionId)
      void forgetOnceEnded(turn)
    },
    activate: async (activation, onAlone) => {
      const { executionId } = activation
      const turn = kept.get(executionId)
      if (turn === undefined) return hosts.activate(activation, onAlone)
      kept.delete(executionId)
      if (isSame(turn.activation, activation)) {
        if (onAlone !== undefined) void turn.whenAlone.then(onAlone)
        return turn.running
      }
      // Another process has stored the first turn. An Execution has one activation at a time.
      await forgetOnceEnded(turn)
      return hosts.activate(activation, onAlone)
    },
    forget: hosts.forget,
  }
}

const isSame = (one: Activation, { turnsDone, turns: [turn, ...more] }: Activation): boolean =>
  turnsDone === 0 &&
  more.length === 0 &&
  turn?.expected === undefined &&
  turn?.delivery.kind === 'start' &&
  turn.delivery.at === one.turns[0]?.delivery.at
