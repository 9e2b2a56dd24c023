// Bounds how many visits compute at once in this process, in all and of each workspace, and lets only one touch an
// Execution. Restate sends as much as it has.

import type { ProgramHosts } from '../../src-runtime/sandbox/program-hosts.ts'
import { createFairPlaces, unlessAborted } from '../../src-runtime/shared/fair-places.ts'

export type VisitPlaces = {
  /** Calls `act` once no other is touching the Execution here. */
  alone<Result>(executionId: string, act: () => Promise<Result>): Promise<Result>
  /** A visit's place among those that compute: taken and given back any number of times. */
  place(): Place
}

export type Place = {
  /**
   * Waits for a place, alternating with other workspaces, and with other Programs of the workspace. Does nothing if the visit has one.
   * Rejects if `dropped` aborts meanwhile. `isRepeat`: it only repeats failed attempts, and so alternates with other visits of its Program.
   */
  take(of: OfPlace, dropped?: AbortSignal, isRepeat?: boolean): Promise<void>
  give(): void
}

type OfPlace = { readonly workspaceId: string; readonly head: { readonly programId: string } }

export const createVisitPlaces = (most: number, mostOf: (workspaceId: string) => number): VisitPlaces => {
  const places = createFairPlaces(most, mostOf)
  /** The newest visit to each Execution that is touched. */
  const touched = new Map<string, Promise<unknown>>()

  return {
    alone: async (executionId, act) => {
      const before = touched.get(executionId)
      const mine = (async () => {
        await before?.catch(() => {})
        return act()
      })()
      touched.set(executionId, mine)
      try {
        return await mine
      } finally {
        if (touched.get(executionId) === mine) touched.delete(executionId)
      }
    },
    place: () => {
      let giveBack: (() => void) | undefined
      return {
        take: async ({ workspaceId, head: { programId } }, dropped, isRepeat = false) => {
          const part = isRepeat ? `${programId} repeats` : programId
          giveBack ??= await places.take(workspaceId, dropped && unlessAborted(dropped), 1, part)
        },
        give: () => {
          giveBack?.()
          giveBack = undefined
        },
      }
    },
  }
}

/** Nobody waits for the turn any more: its result is dropped, and no visit here touches the Execution until the host has ended it. */
export const abandonTurn = (
  { places, hosts }: { readonly places: Pick<VisitPlaces, 'alone'>; readonly hosts: Pick<ProgramHosts, 'forget'> },
  executionId: string,
  turn: Promise<unknown>,
): void => {
  const ended = turn.catch(() => {})
  void places.alone(executionId, async () => {
    await ended
    hosts.forget(executionId)
  })
}
