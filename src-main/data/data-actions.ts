// Actions on the whole data directory.

import { dirname } from 'node:path'
import { backUpDataDirectory, hasData, resetDataDirectory } from '../../src-runtime/data-directory/data-directory.ts'
import { isWithin, realPath } from '../../src-runtime/shared/real-path.ts'
import { DataDirectoryInUseError } from '../../src-runtime/shared/runtime.ts'
import { notStored, RefusedError } from '../refused-error.ts'
import { refuseUnlessOwn } from '../runtime-switch/refuse-unless-own.ts'
import type { RuntimeSwitch } from '../runtime-switch/runtime-switch.ts'

export type DataActions = {
  reveal(): Promise<void>
  /** The file; null if the user cancels. */
  backUp(): Promise<string | null>
  /** False if the user declines. */
  reset(what: 'executions' | 'everything'): Promise<boolean>
  /** The app ends: what is copied of a backup so far is removed. */
  close(): Promise<void>
}

export const createDataActions = (parts: {
  readonly dataDir: string
  readonly runtimeSwitch: Pick<RuntimeSwitch, 'state' | 'stop' | 'start'>
  readonly openPath: (path: string) => Promise<string>
  /** Shows the platform's dialog. */
  readonly pickTarget: (name: string) => Promise<string | undefined>
  /** Shows the platform's dialog, which no page can answer. */
  readonly confirmReset: (what: 'executions' | 'everything') => Promise<boolean>
  readonly now: () => number
}): DataActions => {
  const { dataDir, runtimeSwitch, openPath, pickTarget, confirmReset, now } = parts
  const ending = new AbortController()
  let copying: Promise<void> | undefined
  /** Two copies to the same file would share what is incomplete: the first to end would take it for complete. */
  const refuseWhileCopying = (): void => {
    if (copying !== undefined)
      throw new RefusedError('invalid_request', 'A backup is being made. Wait until it is complete.')
  }
  const copyTo = async (target: string): Promise<void> => {
    copying = backUpDataDirectory(dataDir, target, ending.signal)
    try {
      await copying
    } finally {
      copying = undefined
    }
  }
  return {
    reveal: async () => {
      const problem = await openPath(dataDir)
      if (problem !== '') throw new RefusedError('not_found', `${dataDir} could not be opened: ${problem}`)
    },
    backUp: async () => {
      refuseWhileCopying()
      if (!hasData(dataDir)) {
        throw new RefusedError('not_found', 'There is nothing to back up yet: the runtime has never been started.')
      }
      const target = await pickTarget(`wes-backup-${new Date(now()).toISOString().slice(0, 10)}.sqlite`)
      if (target === undefined) return null
      refuseWhileCopying()
      try {
        if (isWithin(realPath(dataDir), realPath(dirname(target)))) {
          throw new RefusedError(
            'invalid_request',
            'The backup cannot be inside the data folder. Choose another folder.',
          )
        }
        await copyTo(target)
      } catch (error) {
        throw error instanceof RefusedError ? error : notStored('The backup', target, error)
      }
      return target
    },
    reset: async (what) => {
      refuseUnlessOwn(runtimeSwitch.state())
      refuseWhileCopying()
      if (!(await confirmReset(what))) return false
      refuseWhileCopying()
      const wasRunning = runtimeSwitch.state().kind !== 'stopped'
      await runtimeSwitch.stop()
      try {
        resetDataDirectory(dataDir, what, now)
      } catch (error) {
        if (!(error instanceof DataDirectoryInUseError)) throw error
        throw new RefusedError('data_in_use', `${error.message}. Stop that first.`)
      } finally {
        if (wasRunning) await runtimeSwitch.start()
      }
      return true
    },
    close: async () => {
      ending.abort()
      await Promise.allSettled([copying])
    },
  }
}
