// How many connections the effects of one workspace may open in a second. Opening and closing them costs the egress process
// time, whatever comes of them.

export const CONNECTIONS_PER_SECOND = 1_000

export type ConnectionRate = {
  /** Counts one that was opened. Answers for how many ms no further one may be: 0 where more may. */
  add(workspaceId: string): number
}

const SECOND_MS = 1_000

/** `now` in ms, from a clock that never goes back. */
export const createConnectionRate = (now: () => number, most = CONNECTIONS_PER_SECOND): ConnectionRate => {
  /** Since the second began. */
  const counts = new Map<string, number>()
  let endsAt = 0
  return {
    add: (workspaceId) => {
      const at = now()
      if (at >= endsAt) {
        counts.clear()
        endsAt = at + SECOND_MS
      }
      const count = (counts.get(workspaceId) ?? 0) + 1
      counts.set(workspaceId, count)
      return count < most ? 0 : endsAt - at
    },
  }
}
