// Selects the Electron for the desktop tests: ELECTRON_OVERRIDE_DIST_PATH names a folder with another binary than the
// downloaded one, which Playwright also uses.

import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'

export type Engine = 'stand-in' | 'electron'

const VARIABLE = 'ELECTRON_OVERRIDE_DIST_PATH'
const STAND_IN = join(import.meta.dirname, 'electron-standin/dist')
/** Written by Electron's own installer. */
const DOWNLOADED = join(import.meta.dirname, '../node_modules/electron/path.txt')

/** Selects the stand-in if none is set and none was downloaded. */
export const chooseEngine = (env: NodeJS.ProcessEnv = process.env): Engine => {
  if (!env[VARIABLE] && !existsSync(DOWNLOADED)) env[VARIABLE] = STAND_IN
  return resolve(env[VARIABLE] ?? '') === STAND_IN ? 'stand-in' : 'electron'
}
