// The project folder, and the recent ones.

import { stat } from 'node:fs/promises'
import { isOfPath } from '../../src-runtime/shared/stat-of.ts'
import type { ProjectFolders } from '../preload/desktop-api.ts'
import { RefusedError } from '../refused-error.ts'
import type { RuntimeSwitch } from '../runtime-switch/runtime-switch.ts'
import { refuseUnlessOwn } from '../runtime-switch/refuse-unless-own.ts'
import type { FolderTrust } from './folder-trust.ts'
import { isMissing } from './is-missing.ts'
import type { PlacedSample } from './sample-project.ts'
import { forgetFolder, openedFolder } from '../settings/settings.ts'
import type { SettingsStore } from '../settings/settings-store.ts'
import { messageOf } from '../../src-runtime/shared/message-of.ts'

export type ProjectActions = {
  get(): ProjectFolders
  /** The open folder, if there is no such folder. */
  missing(): string | null
  /** Null if the user cancels or does not trust the folder. */
  choose(): Promise<string | null>
  /** Opens a recent folder. Changes nothing if the user does not trust it. */
  open(folder: string): Promise<void>
  /** Null if the user does not trust what is in its folder. */
  openSample(): Promise<string | null>
}

export const createProjectActions = (parts: {
  readonly settings: SettingsStore
  readonly trust: Pick<FolderTrust, 'ensure' | 'trust'>
  readonly runtimeSwitch: Pick<RuntimeSwitch, 'state' | 'restart'>
  /** Shows the platform's dialog. */
  readonly pickFolder: (near: string | null) => Promise<string | undefined>
  /** Copies the sample project if necessary. */
  readonly placeSample: () => Promise<PlacedSample>
}): ProjectActions => {
  const { settings, trust, runtimeSwitch, pickFolder, placeSample } = parts

  const run = async (folder: string): Promise<void> => {
    settings.change({ projectFolders: openedFolder(settings.get().projectFolders, folder), runsAtStart: true })
    await runtimeSwitch.restart()
  }

  return {
    get: () => settings.get().projectFolders,
    missing: () => {
      const { current } = settings.get().projectFolders
      return current !== null && isMissing(current) ? current : null
    },
    choose: async () => {
      refuseUnlessOwn(runtimeSwitch.state())
      const folder = await pickFolder(settings.get().projectFolders.current)
      if (folder === undefined || !(await trust.ensure(folder))) return null
      await run(folder)
      return folder
    },
    open: async (folder) => {
      if (!settings.get().projectFolders.recent.includes(folder)) {
        throw new RefusedError(
          'unknown_folder',
          'Only a recent folder can be opened this way. Choose the folder in the dialog.',
        )
      }
      refuseUnlessOwn(runtimeSwitch.state())
      if (!(await isFolder(folder))) {
        settings.change({ projectFolders: forgetFolder(settings.get().projectFolders, folder) })
        throw new RefusedError('folder_missing', `${folder} does not exist any more.`)
      }
      if (await trust.ensure(folder)) await run(folder)
    },
    openSample: async () => {
      refuseUnlessOwn(runtimeSwitch.state())
      const { folder, isNew } = await placeSample()
      // An older folder may hold anything, and the user may have withdrawn their trust in it.
      if (isNew) trust.trust(folder)
      else if (!(await trust.ensure(folder))) return null
      await run(folder)
      return folder
    },
  }
}

const isFolder = (path: string): Promise<boolean> =>
  stat(path).then(
    (found) => found.isDirectory(),
    (error: unknown) => {
      if (isOfPath(error)) return false
      throw new RefusedError('folder_unread', `${path} could not be opened: ${messageOf(error)}`)
    },
  )
