// Starts a host before the code that gives it work has been loaded.

import { DEFAULT_POOL_LIMITS } from './pool-limits.ts'
import type { HostProcess, SpawnHost } from './spawn-host.ts'

export type HostAhead = {
  /** Returns the host that was started ahead for the first shared one, and starts others. */
  readonly spawnHost: SpawnHost
  /** Ends the host if it was not used. */
  giveUp(): void
}

export const spawnAhead = (spawnHost: SpawnHost): HostAhead => {
  let waiting: HostProcess | undefined = spawnHost('shared', DEFAULT_POOL_LIMITS.budgets)
  return {
    spawnHost: (role, budgets) => {
      if (role !== 'shared' || waiting === undefined) return spawnHost(role, budgets)
      const host = waiting
      waiting = undefined
      return host
    },
    giveUp: () => {
      waiting?.kill()
      waiting = undefined
    },
  }
}
