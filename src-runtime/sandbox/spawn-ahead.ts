// A host that is started before there is anybody to give it work.

import { DEFAULT_POOL_LIMITS } from './pool-limits.ts'
import type { HostProcess, SpawnHost } from './spawn-host.ts'

export type Ahead = {
  /** Gives the host away when the first shared one is asked for; starts others. */
  readonly spawnHost: SpawnHost
  /** Ends the host if it was not given away. */
  giveUp(): void
}

export const spawnAhead = (spawnHost: SpawnHost): Ahead => {
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
