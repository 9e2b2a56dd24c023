// Whether a folder's code may run in this app: the user is asked once, and may withdraw the trust.

import {
  distrustFolder,
  isTrustedFolder,
  readTrustedFolders,
  realPathOf,
  trustFolder,
} from '../../src-runtime/data-directory/trusted-folders.ts'
import { notStored } from '../refused-error.ts'
import type { RuntimeSwitch } from '../runtime-switch/runtime-switch.ts'
import type { SettingsStore } from '../settings/settings-store.ts'
import { isMissing } from './is-missing.ts'

export type FolderTrust = {
  list(): readonly string[]
  isTrusted(folder: string): boolean
  /** Trusts without asking: a new copy of the app's sample, and folders named on the command line. */
  trust(folder: string): void
  /** Asks unless the folder is already trusted. False if the user declines. */
  ensure(folder: string): Promise<boolean>
  /** Asks about the folder that the runtime would start on; closes it if the user declines. */
  ensureCurrent(): Promise<void>
  /** The folder's effects wait from now on; if it is open, it is closed. */
  remove(folder: string): Promise<readonly string[]>
}

export const createFolderTrust = (parts: {
  readonly dataDir: string
  readonly settings: SettingsStore
  readonly runtimeSwitch: Pick<RuntimeSwitch, 'state' | 'restart'>
  /** Shows the platform's dialog. `folder`: a real path. */
  readonly ask: (folder: string) => Promise<boolean>
}): FolderTrust => {
  const { dataDir, settings, runtimeSwitch, ask } = parts

  const asked = new Map<string, Promise<boolean>>()

  const store = (change: (dataDir: string, folder: string) => void, folder: string): void => {
    try {
      change(dataDir, folder)
    } catch (error) {
      throw notStored('The trusted folders', dataDir, error)
    }
  }

  const ensure = async (given: string): Promise<boolean> => {
    // A link may lead elsewhere when the user has answered.
    const folder = realPathOf(given)
    if (isTrustedFolder(dataDir, folder)) return true
    // One dialog for all who wait for the answer.
    const answer = asked.get(folder) ?? ask(folder).finally(() => asked.delete(folder))
    asked.set(folder, answer)
    if (!(await answer)) return false
    store(trustFolder, folder)
    return true
  }

  const close = (): void => {
    settings.change({ projectFolders: { ...settings.get().projectFolders, current: null } })
  }

  return {
    list: () => readTrustedFolders(dataDir),
    isTrusted: (folder) => isTrustedFolder(dataDir, folder),
    trust: (folder) => store(trustFolder, folder),
    ensure,
    ensureCurrent: async () => {
      const { current } = settings.get().projectFolders
      // One that is gone may come back, and its code runs only if it is trusted then.
      if (current === null || isMissing(current) || (await ensure(current))) return
      // The user may have opened another one meanwhile.
      if (settings.get().projectFolders.current === current) close()
    },
    remove: async (folder) => {
      store(distrustFolder, folder)
      const { current } = settings.get().projectFolders
      if (current !== null && !isTrustedFolder(dataDir, current)) {
        close()
        const state = runtimeSwitch.state()
        const isOpening = state.kind === 'starting'
        if (isOpening || (state.kind === 'ready' && state.owned)) await runtimeSwitch.restart()
      }
      return readTrustedFolders(dataDir)
    },
  }
}
