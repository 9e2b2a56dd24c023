// Writes `running` to the rows of Executions whose turn has been in flight for a while. Short turns cost no such write.

import type { Cancel, Clock } from '../shared/clock.ts'
import type { ExecutionHead } from '../engine/execution-state.ts'
import type { ExecutionStore } from '../store/store.ts'
import type { ActiveExecution } from './active-execution.ts'

const SHOW_RUNNING_AFTER_MS = 100

export const createRunningWatch = (deps: {
  readonly executions: Pick<ExecutionStore, 'change'>
  readonly clock: Clock
  readonly actives: () => Iterable<ActiveExecution>
}): { watch(): void; stop(): void } => {
  const { executions, clock, actives } = deps
  let timer: Cancel | undefined
  let stopped = false

  const watch = (): void => {
    if (!stopped) timer ??= clock.after(SHOW_RUNNING_AFTER_MS, look)
  }

  const look = (): void => {
    timer = undefined
    const since = clock.now() - SHOW_RUNNING_AFTER_MS
    let areInFlight = false
    for (const active of actives()) {
      const begunAt = active.inFlightSince
      // The outcome of a turn of one that is gone is not stored, so its row would say `running` for ever.
      if (begunAt === undefined || active.gone) continue
      areInFlight = true
      if (begunAt > since || active.shownAsRunning) continue
      active.shownAsRunning = true
      executions.change(active.key, ({ head }) => showRunning(head, begunAt)).catch(() => undefined) // only for show
    }
    if (areInFlight) watch()
  }

  return {
    watch,
    stop: () => {
      stopped = true
      timer?.()
    },
  }
}

const showRunning = (head: ExecutionHead, begunAt: number) =>
  head.status === 'queued' || head.status === 'waiting'
    ? ({ status: 'running', startedAt: head.startedAt ?? begunAt } as const)
    : undefined
