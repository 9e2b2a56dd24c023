// Visits Executions whose timers are due. Every worker does it, and claims each timer just before: few of one workspace, and more
// once these have ended, so that however many of one workspace are due, another's is among the next. What a worker had claimed
// when it died is claimed again 5 s later.

import type { Logger } from 'pino'
import { createFaultLevels } from '../../src-runtime/shared/fault-levels.ts'
import { pause } from '../../src-runtime/shared/pause.ts'
import { within } from '../../src-runtime/shared/within.ts'
import type { DueTimer, EngineStore } from '../store/store.ts'
import { every } from './every.ts'

const LOOK_EVERY_MS = 500
/** Timers are claimed so long before they are due. No longer than timers that stay in the store are at least. */
const AHEAD_MS = 1_000
const MOST = 256
const MOST_OF_ONE = 32

export const startVisitingTimers = (deps: {
  readonly store: Pick<EngineStore, 'dueTimers'>
  /** PostgreSQL's clock, in ms since the epoch. */
  readonly now: () => number
  /** Settles when the visit has ended. */
  readonly visit: (executionId: string) => Promise<void>
  /** Leaves to others what was claimed and is not due yet when this process stops. */
  readonly leave: (executionId: string, delayMs: number) => Promise<void>
  readonly log: Logger
}): { stop(): Promise<void> } => {
  const { store, now, visit, leave, log } = deps
  const stopping = new AbortController()
  const { signal } = stopping
  const levelOf = createFaultLevels()
  const claimed = new Set<Promise<void>>()
  /** How many of them belong to each workspace, by key. */
  const counts = new Map<number, number>()
  let onRoom = (): void => {}

  const countOf = (workspace: number): number => counts.get(workspace) ?? 0
  const isBusy = (workspace: number): boolean => countOf(workspace) > MOST_OF_ONE / 2
  const hasRoom = (): boolean => claimed.size <= MOST / 2

  const visitWhenDue = async ({ executionId, dueAt }: DueTimer): Promise<void> => {
    try {
      await pause(Math.max(0, dueAt - now()), signal)
      if (signal.aborted) await leave(executionId, Math.max(0, dueAt - now()))
      else await visit(executionId)
    } catch (error) {
      log[levelOf(error, 'warn')]({ err: error, executionId }, 'a timer could not be visited; it is claimed again')
    }
  }

  const take = async (timer: DueTimer): Promise<void> => {
    const { workspace } = timer
    counts.set(workspace, countOf(workspace) + 1)
    const visited = visitWhenDue(timer)
    claimed.add(visited)
    await visited
    const wasBusy = isBusy(workspace)
    claimed.delete(visited)
    counts.set(workspace, countOf(workspace) - 1)
    if (countOf(workspace) === 0) counts.delete(workspace)
    // Each look reads the first timer of every workspace: the end of one more visit is no reason for one.
    if (claimed.size === MOST / 2 || (hasRoom() && wasBusy && !isBusy(workspace))) onRoom()
  }

  const untilRoom = async (): Promise<void> => {
    const { promise, resolve } = Promise.withResolvers<void>()
    onRoom = resolve
    await within(LOOK_EVERY_MS, promise)
  }

  const look = async (): Promise<boolean> => {
    const limit = MOST - claimed.size
    const busy = [...counts.keys()].filter(isBusy)
    if (limit > 0) {
      const { timers, isMore } = await store.dueTimers({ aheadMs: AHEAD_MS, limit, limitOfOne: MOST_OF_ONE, busy })
      for (const timer of timers) void take(timer)
      if (!isMore && busy.length === 0) return false
      // An Execution with many timers is a whole share, and visits may have ended meanwhile.
      const hadShare = isMore && !timers.some(({ workspace }) => isBusy(workspace))
      if (hasRoom() && (hadShare || busy.some((workspace) => !isBusy(workspace)))) return true
    }
    await untilRoom()
    return true
  }

  const looking = every(LOOK_EVERY_MS, 'looking for timers', look, log)
  return {
    stop: async () => {
      stopping.abort()
      onRoom()
      await looking.stop()
      await Promise.all(claimed)
    },
  }
}
