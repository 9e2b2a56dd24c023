// Handles an Execution that cannot go on. If its stored data is damaged, it fails. Otherwise the fault is the runtime's, and
// the Execution begins again from its journal.

import type { Logger } from 'pino'
import type { Clock } from '../shared/clock.ts'
import type { LevelOf } from '../shared/fault-levels.ts'
import { StoreUnavailableError } from '../shared/store-errors.ts'
import { DamagedExecution, damagedExecutionError } from '../engine/damaged-execution.ts'
import { endOutsideTurn, type Ending } from '../engine/end-execution.ts'
import type { ExecutionStore } from '../store/store.ts'
import type { ActiveExecution } from './active-execution.ts'

export const RETRY_AFTER_MS = 1_000

/** For the log of one Execution. That nothing can be stored has been logged with its stack, once for all of them. */
export const causeOf = (error: unknown): { readonly reason: string } | { readonly err: unknown } =>
  error instanceof StoreUnavailableError ? { reason: error.message } : { err: error }

export type Faults = {
  /** It is in memory. */
  of(active: ActiveExecution, error: unknown): void
  ofLoading(key: number, error: unknown): void
}

export const createFaults = (deps: {
  readonly executions: Pick<ExecutionStore, 'change'>
  readonly clock: Clock
  readonly log: Logger
  readonly levelOf: LevelOf
  readonly isStopped: () => boolean
  readonly wake: (key: number) => void
  readonly drop: (active: ActiveExecution) => void
  readonly lose: (active: ActiveExecution) => void
}): Faults => {
  const { executions, clock, log, levelOf, isStopped, wake, drop, lose } = deps

  const failDamaged = (key: number, damage: DamagedExecution): void => {
    log.error({ err: damage, key }, 'the stored data of an Execution is damaged; it fails')
    const ending: Ending = { kind: 'failed', error: damagedExecutionError(damage) }
    executions
      .change(key, ({ head }) => endOutsideTurn(ending, head, clock.now()))
      .catch((error: unknown) => {
        if (!isStopped()) ofLoading(key, error)
      })
  }

  const ofLoading = (key: number, error: unknown): void => {
    if (error instanceof DamagedExecution) return failDamaged(key, error)
    log[levelOf(error, 'error')]({ err: error, key }, 'an Execution could not be loaded; trying again')
    clock.after(RETRY_AFTER_MS, () => wake(key))
  }

  return {
    of: (active, error) => {
      if (isStopped() || active.gone) return
      if (error instanceof DamagedExecution) {
        failDamaged(active.key, error)
        drop(active)
      } else {
        log[levelOf(error, 'error')](
          { err: error, executionId: active.id },
          'an Execution could not go on; it begins again from its journal',
        )
        lose(active)
      }
    },
    ofLoading,
  }
}
