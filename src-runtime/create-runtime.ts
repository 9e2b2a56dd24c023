// What homes of the local runtime call. A Program host takes about as long to start as the runtime takes to load itself,
// so the host comes first, and the rest of the composition is loaded meanwhile.

import { nodeFork } from './shared/fork.ts'
import type { Runtime, RuntimeOptions } from './shared/runtime.ts'
import { spawnAhead } from './sandbox/spawn-ahead.ts'
import { spawnHostWith } from './sandbox/spawn-host.ts'

/** Rejects with PortTakenError or DataDirectoryInUseError when another process is in the way. */
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
