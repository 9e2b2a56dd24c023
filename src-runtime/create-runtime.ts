// Creates a local runtime. Starts a Program host first and loads the rest of the runtime meanwhile, because both take
// about the same time.

import { nodeFork } from './shared/fork.ts'
import type { Runtime, RuntimeOptions } from './shared/runtime.ts'
import { spawnAhead } from './sandbox/spawn-ahead.ts'
import { spawnHostWith } from './sandbox/spawn-host.ts'

/** Rejects with PortTakenError or DataDirectoryInUseError if another process uses the port or the data directory. */
export const createRuntime = async (options: RuntimeOptions): Promise<Runtime> => {
  const ahead = spawnAhead(spawnHostWith(options.forks?.programs ?? nodeFork))
  try {
    const { startRuntime } = await import('./start-runtime.ts')
    return await startRuntime(options, ahead.spawnHost)
  } catch (error) {
    ahead.giveUp()
    throw error
  }
}
