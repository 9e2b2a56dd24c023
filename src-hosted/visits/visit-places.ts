// Bounds how many visits compute at once in this process, and lets only one touch an Execution. Restate sends as much as it
// has.

export type VisitPlaces = {
  /** Calls `act` once no other is touching the Execution here. */
  alone<Result>(executionId: string, act: () => Promise<Result>): Promise<Result>
  /** A visit's place among those that compute: taken and given back any number of times. */
  place(): Place
}

export type Place = {
  /** Waits for a place, first come first served; does nothing where one is taken already. */
  take(): Promise<void>
  give(): void
}

export const createVisitPlaces = (most: number): VisitPlaces => {
  let free = most
  const waiting: (() => void)[] = []
  /** The newest visit to each Execution that is touched. */
  const touched = new Map<string, Promise<unknown>>()

  const take = (): Promise<void> => {
    if (free > 0) {
      free -= 1
      return Promise.resolve()
    }
    return new Promise((resolve) => waiting.push(resolve))
  }
  const give = (): void => {
    const next = waiting.shift()
    if (next === undefined) free += 1
    else next()
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
      let isTaken = false
      return {
        take: async () => {
          if (isTaken) return
          isTaken = true
          await take()
        },
        give: () => {
          if (!isTaken) return
          isTaken = false
          give()
        },
      }
    },
  }
}
