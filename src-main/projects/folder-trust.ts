// Whether a folder's code may run in this app: its user is asked once, and may take the answer back.

import {
  distrustFolder,
  isTrustedFolder,
  readTrustedFolders,
  trustFolder,
} from '../../src-runtime/data-directory/trusted-folders.ts'
import type { RuntimeSwitch } from '../runtime-switch/runtime-switch.ts'
import type { SettingsStore } from '../settings/settings-store.ts'

export type FolderTrust = {
  list(): readonly string[]
  isTrusted(folder: string): boolean
  /** Without a question: the app's own sample, and what a command line named. */
  trust(folder: string): void
  /** Asks unless it is trusted already. False when the user said no. */
  ensure(folder: string): Promise<boolean>
  /** Asks for the folder that the runtime would start on; no folder is open after a no. */
  ensureCurrent(): Promise<void>
  /** Its effects wait from now on; if it is the open one, it is closed. */
  remove(folder: string): Promise<readonly string[]>
}

export const createFolderTrust = (parts: {
  readonly dataDir: string
  readonly settings: SettingsStore
  readonly runtimeSwitch: Pick<RuntimeSwitch, 'state' | 'restart'>
  /** Asks with the platform's dialog. */
  readonly ask: (folder: string) => Promise<boolean>
}): FolderTrust => {
  const { dataDir, settings, runtimeSwitch, ask } = parts

  const ensure = async (folder: string): Promise<boolean> => {
    if (isTrustedFolder(dataDir, folder)) return true
    if (!(await ask(folder))) return false
    trustFolder(dataDir, folder)
    return true
  }

  const close = (): void => {
    settings.change({ projectFolders: { ...settings.get().projectFolders, current: null } })
  }

  return {
    list: () => readTrustedFolders(dataDir),
    isTrusted: (folder) => isTrustedFolder(dataDir, folder),
    trust: (folder) => trustFolder(dataDir, folder),
    ensure,
    ensureCurrent: async () => {
      const { current } = settings.get().projectFolders
      if (current !== null && !(await ensure(current))) close()
    },
    remove: async (folder) => {
      distrustFolder(dataDir, folder)
      const { current } = settings.get().projectFolders
      if (current !== null && !isTrustedFolder(dataDir, current)) {
        close()
        const state = runtimeSwitch.state()
        if (state.kind === 'ready' && state.owned) await runtimeSwitch.restart()
      }
      return readTrustedFolders(dataDir)
    },
  }
}
