// The app's folders, in a source checkout and in an installed app.

import { app } from 'electron'
import { join, sep } from 'node:path'
import { copySample, type PlacedSample } from './projects/sample-project.ts'

export type AppFolders = {
  readonly preload: string
  readonly icons: string
  readonly logs: string
  readonly settingsFile: string
  readonly windowPlaceFile: string
  readonly connectionsFile: string
  readonly nextStartFile: string
}

export const appFolders = (): AppFolders => ({
  preload: join(app.getAppPath(), 'out/preload/index.cjs'),
  icons: join(app.getAppPath(), 'resources/icons'),
  logs: logsFolder(),
  settingsFile: join(app.getPath('userData'), 'settings.json'),
  windowPlaceFile: join(app.getPath('userData'), 'window.json'),
  connectionsFile: join(app.getPath('userData'), 'connections.json'),
  nextStartFile: join(app.getPath('userData'), 'next-start.json'),
})

/** Electron creates it, and throws if it cannot; the app does without a log then. */
const logsFolder = (): string => {
  try {
    return app.getPath('logs')
  } catch {
    return join(app.getPath('userData'), 'logs')
  }
}

/** Another program cannot run or read a file inside the app's archive. */
export const unpacked = (path: string): string => path.replace(`app.asar${sep}`, `app.asar.unpacked${sep}`)

/** A checkout runs the sample in place; an installed app copies it for its user. */
export const placeSample = async (): Promise<PlacedSample> =>
  app.isPackaged
    ? copySample(join(app.getAppPath(), 'sample-project'), join(app.getPath('documents'), 'wes-sample-project'))
    : { folder: join(app.getAppPath(), 'examples/project'), isNew: true }
