// Which refusals of connections are logged: some of each workspace in each minute, so that none can fill the log or hide
// those of others.

import type { WayOutOwner } from './egress-messages.ts'

/** Of one workspace in a minute. */
const MOST_LOGGED = 20

export type RefusalLog = {
  add(owner: WayOutOwner, message: string): void
  /** To be called once a minute: says how many were left out, and begins the next one. */
  nextMinute(): void
}

/** `name`: of whose effects the message is. Keeps a number for each workspace that was refused something in this minute. */
export const createRefusalLog = (say: (name: string, message: string) => void): RefusalLog => {
  const refusals = new Map<string, number>()
  return {
    add: ({ workspaceId, name }, message) => {
      const count = (refusals.get(workspaceId) ?? 0) + 1
      refusals.set(workspaceId, count)
      if (count <= MOST_LOGGED) say(name, message)
    },
    nextMinute: () => {
      for (const [workspaceId, count] of refusals) {
        if (count > MOST_LOGGED) say(workspaceId, `${count - MOST_LOGGED} more connections were refused in a minute`)
      }
      refusals.clear()
    },
  }
}
