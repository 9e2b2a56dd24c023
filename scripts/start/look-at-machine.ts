// Reads from this machine what chooseHome needs.

import { statSync } from 'node:fs'
import { join } from 'node:path'
import { restrictsUserNamespaces } from '../restricts-user-namespaces.ts'
import type { Machine } from './choose-home.ts'
import { type ElectronBinary, findElectronBinary } from './electron-binary.ts'

const ROOT = join(import.meta.dirname, '../..')
export const ELECTRON_PACKAGE = join(ROOT, 'node_modules/electron')

export const lookForElectron = (): ElectronBinary =>
  findElectronBinary({
    folder: ELECTRON_PACKAGE,
    platform: process.platform,
    distFolder: process.env['ELECTRON_OVERRIDE_DIST_PATH'],
  })

export const lookAtMachine = (): Machine => ({
  platform: process.platform,
  env: process.env,
  userId: process.getuid?.(),
  restrictsUserNamespaces: restrictsUserNamespaces(),
  hasSandboxHelper: isOwnedByRoot(
    join(process.env['ELECTRON_OVERRIDE_DIST_PATH'] || join(ELECTRON_PACKAGE, 'dist'), 'chrome-sandbox'),
  ),
})

const SET_USER_ID = 0o4000

const isOwnedByRoot = (helper: string): boolean => {
  const found = statSync(helper, { throwIfNoEntry: false })
  return found !== undefined && found.uid === 0 && (found.mode & SET_USER_ID) !== 0
}
