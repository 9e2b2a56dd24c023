// Ends a cancelled Execution that is still cleaning up when the grace period after its cancel's delivery is over.

import type { Logger } from 'pino'
import type { Cancel, Clock } from '../shared/clock.ts'
import type { LevelOf } from '../shared/fault-levels.ts'
import { endOutsideTurn, type Ending } from '../engine/end-execution.ts'
import type { ExecutionHead } from '../engine/execution-state.ts'
import type { ExecutionStore } from '../store/store.ts'
import { causeOf, RETRY_AFTER_MS } from './faults.ts'

const ENDING: Ending = { kind: 'completed', data: '{}' }

export type CancelGraces = {
  has(key: number): boolean
  begin(key: number): void
  /** The Execution ended by itself. */
  end(key: number): void
  stop(): void
}

export const createCancelGraces = (deps: {
  readonly executions: Pick<ExecutionStore, 'change'>
  readonly clock: Clock
  readonly log: Logger
  readonly levelOf: LevelOf
  readonly graceMs: number
  /** The grace period is over, and the Execution's end is durable; `head` is undefined when it was deleted. */
  readonly onEnded: (key: number, head: ExecutionHead | undefined) => void
}): CancelGraces => {
  const { executions, clock, log, levelOf, graceMs, onEnded } = deps
  /** Cancels each Execution's timer. */
  const graces = new Map<number, Cancel>()
  let stopped = false

  const endAfter = (key: number, ms: number): void => {
    if (stopped || graces.has(key)) return
    const end = async (): Promise<void> => {
      graces.delete(key)
      try {
        const changed = await executions.change(key, ({ head }) => endOutsideTurn(ENDING, head, clock.now()))
        onEnded(key, changed?.head)
      } catch (error) {
        if (stopped) return
        const cause = { ...causeOf(error), key }
        log[levelOf(error, 'warn')](cause, 'the end of a clean-up could not be stored; trying again')
        endAfter(key, RETRY_AFTER_MS)
      }
    }
    graces.set(
      key,
      clock.after(ms, () => void end()),
    )
  }

  return {
    has: (key) => graces.has(key),
    begin: (key) => endAfter(key, graceMs),
    end: (key) => {
      graces.get(key)?.()
      graces.delete(key)
    },
    stop: () => {
      stopped = true
      for (const cancel of graces.values()) cancel()
      graces.clear()
    },
  }
}
