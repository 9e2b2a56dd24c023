// Does what is due: visits of Executions with timers, and schedules. Every worker does it, and claims each just before: few of one
// workspace, and more once these have ended, so that however many of one workspace are due, another's is among the next. What a worker
// had claimed when it died is claimed again 5 s later.

import type { Logger } from 'pino'
import { createFaultLevels } from '../../src-runtime/shared/fault-levels.ts'
import { pause } from '../../src-runtime/shared/pause.ts'
import { within } from '../../src-runtime/shared/within.ts'
import type { ClaimDue, Due } from '../store/store.ts'
import { every } from './every.ts'

const LOOK_EVERY_MS = 500

export type TakingSizes = {
  readonly most: number
  readonly mostOfOne: number
  /** They are claimed so long before they are due. */
  readonly aheadMs: number
}

export const startTakingDue = <One extends Due>(deps: {
  /** Of what is looked for, in the plural. */
  readonly name: string
  readonly sizes: TakingSizes
  readonly claim: ClaimDue<One>
  /** PostgreSQL's clock, in ms since the epoch. */
  readonly now: () => number
  /** Settles when it is done. */
  readonly act: (one: One) => Promise<void>
  /** What to do instead with what was claimed and is not due yet when this process stops. */
  readonly leave: (one: One, delayMs: number) => Promise<void>
  readonly log: Logger
}): { stop(): Promise<void> } => {
  const { name, sizes, claim, now, act, leave, log } = deps
  const { most, mostOfOne, aheadMs } = sizes
  const stopping = new AbortController()
  const { signal } = stopping
  const levelOf = createFaultLevels()
  const claimed = new Set<Promise<void>>()
  /** How many of them belong to each workspace, by key. */
  const counts = new Map<number, number>()
  let onRoom = (): void => {}

  const countOf = (workspace: number): number => counts.get(workspace) ?? 0
  const isBusy = (workspace: number): boolean => countOf(workspace) > mostOfOne / 2
  const hasRoom = (): boolean => claimed.size <= most / 2

  const actWhenDue = async (one: One): Promise<void> => {
    const leftMs = (): number => Math.max(0, one.dueAt - now())
    try {
      await pause(leftMs(), signal)
      await (signal.aborted ? leave(one, leftMs()) : act(one))
    } catch (error) {
      const { workspace, dueAt, ...which } = one
      const fields: object = { err: error, ...which }
      log[levelOf(error, 'warn')](fields, `one of the ${name} failed; it is claimed again`)
    }
  }

  const take = async (one: One): Promise<void> => {
    const { workspace } = one
    counts.set(workspace, countOf(workspace) + 1)
    const done = actWhenDue(one)
    claimed.add(done)
    await done
    const wasBusy = isBusy(workspace)
    claimed.delete(done)
    counts.set(workspace, countOf(workspace) - 1)
    if (countOf(workspace) === 0) counts.delete(workspace)
    // Each look reads the first one of every workspace: the end of one more is no reason for one.
    if (claimed.size === most / 2 || (hasRoom() && wasBusy && !isBusy(workspace))) onRoom()
  }

  const untilRoom = async (): Promise<void> => {
    const { promise, resolve } = Promise.withResolvers<void>()
    onRoom = resolve
    await within(LOOK_EVERY_MS, promise)
  }

  const look = async (): Promise<boolean> => {
    const limit = most - claimed.size
    const busy = [...counts.keys()].filter(isBusy)
    if (limit > 0) {
      const { due, isMore } = await claim({ aheadMs, limit, limitOfOne: mostOfOne, busy })
      for (const one of due) void take(one)
      if (!isMore && busy.length === 0) return false
      // An Execution with many timers is a whole share, and some may have ended meanwhile.
      const hadShare = isMore && !due.some(({ workspace }) => isBusy(workspace))
      if (hasRoom() && (hadShare || busy.some((workspace) => !isBusy(workspace)))) return true
    }
    await untilRoom()
    return true
  }

  const looking = every(LOOK_EVERY_MS, `looking for ${name}`, look, log)
  return {
    stop: async () => {
      stopping.abort()
      onRoom()
      await looking.stop()
      await Promise.all(claimed)
    },
  }
}
