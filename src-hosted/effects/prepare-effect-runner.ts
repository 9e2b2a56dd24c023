// Prepares what an effect runner needs of this machine: a folder, isolation and the egress process. None of it needs the
// database, so a service prepares it while that starts.

import type { Logger } from 'pino'
import { authorityOf } from '../egress/authority.ts'
import { startEgress } from '../egress/start-egress.ts'
import { createEffectRunner, type EffectRunnerOptions } from './create-effect-runner.ts'
import type { EffectRunner } from './effect-runner.ts'
import { findIsolation, type Isolation } from './isolation/find-isolation.ts'
import { makeRunnerFolder } from './runner-folder.ts'

export type EffectRunnerSettings = {
  /** `--allow-egress`: ranges such as `10.1.0.0/16, fd00::/8`. */
  readonly allowEgress?: string
  /** Names and addresses of the service's hosts, which effects may not connect to. */
  readonly ownHosts?: readonly string[]
  /** `--unsafe-effects`: where effects cannot be isolated, they run as ordinary processes. */
  readonly unsafe?: boolean
  readonly isolationOf?: (folder: string) => Promise<Isolation>
  readonly log: Logger
}

export type PreparedRunnerOptions = Omit<
  EffectRunnerOptions,
  'isolation' | 'egress' | 'egressUser' | 'folder' | 'log'
> & {
  /** URLs: effects may connect to none of them, also where `allowEgress` opens their addresses. */
  readonly ownServices?: readonly string[]
}

export type PreparedEffectRunner = {
  /** Called once. */
  create(options: PreparedRunnerOptions): EffectRunner
  /** Ends what was prepared, once the runner was drained. */
  stop(): Promise<void>
}

/** Outside of all users that `workspaceUser` gives. */
const EGRESS_USER = 1_879_048_191

/** Rejects, with nothing left running, when a range is wrong or the egress process does not start. */
export const prepareEffectRunner = async (settings: EffectRunnerSettings): Promise<PreparedEffectRunner> => {
  const { allowEgress = '', ownHosts = [], unsafe = false, isolationOf = findIsolation, log } = settings
  const asRoot = process.getuid?.() === 0
  const folder = await makeRunnerFolder()
  try {
    const found = await isolationOf(folder.path)
    const isolation: Isolation = found.kind === 'missing' && unsafe ? { kind: 'unsafe' } : found
    const egressUser = asRoot && isolation.kind === 'namespaces' ? EGRESS_USER : undefined
    const uid = egressUser === undefined ? {} : { uid: egressUser }
    const egress = await startEgress({ allow: allowEgress, ownHosts, ...uid }, log)
    return {
      create: ({ ownServices = [], ...options }) => {
        egress.keepClosed(ownServices.map(authorityOf))
        return createEffectRunner({
          ...options,
          isolation,
          egress,
          folder: folder.path,
          log,
          ...(egressUser !== undefined && { egressUser }),
        })
      },
      stop: async () => {
        await egress.stop()
        await folder.remove()
      },
    }
  } catch (error) {
    await folder.remove()
    throw error
  }
}
