// Bounds how many visits compute at once in this process, in all and of each workspace, and lets only one touch an
// Execution. Restate sends as much as it has.

import { createFairQueue } from '../../src-runtime/shared/fair-queue.ts'

export type VisitPlaces = {
  /** Calls `act` once no other is touching the Execution here. */
  alone<Result>(executionId: string, act: () => Promise<Result>): Promise<Result>
  /** A visit's place among those that compute: taken and given back any number of times. */
  place(): Place
}

export type Place = {
  /** Waits for a place, in turns with other workspaces; does nothing where one is taken already. */
  take(workspaceId: string): Promise<void>
  give(): void
}

export const createVisitPlaces = (most: number, mostOf: (workspaceId: string) => number): VisitPlaces => {
  let free = most
  /** By workspace; those with none are left out. */
  const taken = new Map<string, number>()
  const waiting = createFairQueue<() => void>()
  /** The newest visit to each Execution that is touched. */
  const touched = new Map<string, Promise<unknown>>()

  const hasRoom = (workspaceId: string): boolean => (taken.get(workspaceId) ?? 0) < mostOf(workspaceId)

  const take = (workspaceId: string): void => {
    free -= 1
    taken.set(workspaceId, (taken.get(workspaceId) ?? 0) + 1)
  }
  const untilTaken = (workspaceId: string): Promise<void> => {
    if (free > 0 && hasRoom(workspaceId)) return Promise.resolve(take(workspaceId))
    return new Promise((resolve) => {
      waiting.add(workspaceId, () => resolve(take(workspaceId)))
    })
  }
  const give = (workspaceId: string): void => {
    const left = (taken.get(workspaceId) ?? 1) - 1
    if (left > 0) taken.set(workspaceId, left)
    else taken.delete(workspaceId)
    free += 1
    waiting.take(hasRoom)?.()
  }

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
      let takenFor: string | undefined
      return {
        take: async (workspaceId) => {
          if (takenFor !== undefined) return
          takenFor = workspaceId
          await untilTaken(workspaceId)
        },
        give: () => {
          if (takenFor === undefined) return
          const workspaceId = takenFor
          takenFor = undefined
          give(workspaceId)
        },
      }
    },
  }
}
