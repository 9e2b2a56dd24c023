// Which Electron the desktop tests run on: ELECTRON_OVERRIDE_DIST_PATH names a folder with another binary than the one
// that was downloaded, and Playwright honours it by itself.

import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'

export type Engine = 'stand-in' | 'electron'

const VARIABLE = 'ELECTRON_OVERRIDE_DIST_PATH'
const STAND_IN = join(import.meta.dirname, 'electron-standin/dist')
/** Written by Electron's own installer. */
const DOWNLOADED = join(import.meta.dirname, '../node_modules/electron/path.txt')

/** Where nobody chose and nothing was downloaded, it is the stand-in from then on. */
export const chooseEngine = (env: NodeJS.ProcessEnv = process.env): Engine => {
  if (!env[VARIABLE] && !existsSync(DOWNLOADED)) env[VARIABLE] = STAND_IN
  return resolve(env[VARIABLE] ?? '') === STAND_IN ? 'stand-in' : 'electron'
}
