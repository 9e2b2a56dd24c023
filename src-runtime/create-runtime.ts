// Creates a local runtime. Starts a Program host first and loads the rest of the runtime meanwhile, because both take
// about the same time.

import { type Forks, nodeFork } from './shared/fork.ts'
import type { Runtime, RuntimeOptions } from './shared/runtime.ts'
import { type HostAhead, spawnAhead } from './sandbox/spawn-ahead.ts'
import { spawnHostWith } from './sandbox/spawn-host.ts'

export type { HostAhead }

/** Starts a Program host for a runtime that is created later. */
export const startFirstHost = (forks?: Forks): HostAhead => spawnAhead(spawnHostWith(forks?.programs ?? nodeFork))

/** Rejects with PortTakenError or DataDirectoryInUseError if another process uses the port or the data directory. */
export const createRuntime = async (
  options: RuntimeOptions,
  ahead: HostAhead = startFirstHost(options.forks),
): Promise<Runtime> => {
  try {
    const { startRuntime } = await import('./start-runtime.ts')
    return await startRuntime(options, ahead.spawnHost)
  } catch (error) {
    ahead.giveUp()
    throw error
  }
}
