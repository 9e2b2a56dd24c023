// Makes an effect runner with everything that it needs: a folder, the egress process and isolation.

import { startEgress } from '../egress/start-egress.ts'
import { createEffectRunner, type EffectRunnerOptions } from './create-effect-runner.ts'
import type { EffectRunner } from './effect-runner.ts'
import { findIsolation, type Isolation } from './isolation/find-isolation.ts'
import { makeRunnerFolder } from './runner-folder.ts'

export type EffectRunnerSettings = Omit<EffectRunnerOptions, 'isolation' | 'egress' | 'egressUser' | 'folder'> & {
  /** `--allow-egress`: ranges such as `10.1.0.0/16, fd00::/8`. */
  readonly allowEgress?: string
  /** Names and addresses of the service's hosts, which effects may not connect to. */
  readonly ownHosts?: readonly string[]
  /** `--unsafe-effects`: where effects cannot be isolated, they run as ordinary processes. */
  readonly unsafe?: boolean
  readonly isolationOf?: (folder: string) => Promise<Isolation>
}

/** Outside of all users that `workspaceUser` gives. */
const EGRESS_USER = 1_879_048_191

/** Rejects when a range is wrong, or the egress process does not start. Its `drain` ends all of it. */
export const startEffectRunner = async (settings: EffectRunnerSettings): Promise<EffectRunner> => {
  const { allowEgress = '', ownHosts = [], unsafe = false, isolationOf = findIsolation, ...options } = settings
  const asRoot = process.getuid?.() === 0
  const folder = await makeRunnerFolder()
  try {
    const found = await isolationOf(folder.path)
    const isolation: Isolation = found.kind === 'missing' && unsafe ? { kind: 'unsafe' } : found
    const egressUser = asRoot && isolation.kind === 'namespaces' ? EGRESS_USER : undefined
    const uid = egressUser === undefined ? {} : { uid: egressUser }
    const egress = await startEgress({ allow: allowEgress, ownHosts, ...uid }, options.log)
    const runner = createEffectRunner({
      ...options,
      isolation,
      egress,
      folder: folder.path,
      ...(egressUser !== undefined && { egressUser }),
    })
    return {
      ...runner,
      drain: async () => {
        await runner.drain()
        await egress.stop()
        await folder.remove()
      },
    }
  } catch (error) {
    await folder.remove()
    throw error
  }
}
