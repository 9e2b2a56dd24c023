// Whether the app starts with the user's session, on this platform. Only the system knows: its settings, and other programs, may
// change it at any time.

import { app } from 'electron'
import type { Logger } from 'pino'
import { notStored, RefusedError } from '../refused-error.ts'
import { ownCommand } from './own-command.ts'
import {
  autostartFile,
  isAutostarted,
  quotedOnWindows,
  renewAutostart,
  setAutostart,
  willOpen,
} from './start-at-login.ts'

const command = (): readonly [string, ...string[]] => {
  const { env, execPath } = process
  return ownCommand({ env, execPath, isPackaged: app.isPackaged, appPath: app.getAppPath() })
}

const entry = (): string => autostartFile(app.getPath('appData'))

export const startsAtLogin = (): boolean => {
  if (process.platform === 'linux') return isAutostarted(entry())
  const [path, ...args] = command()
  const entryOf = { path: quotedOnWindows(path, process.platform), args }
  return willOpen(app.getLoginItemSettings(entryOf), process.platform)
}

/** Throws if the system does not do so. */
export const setLoginItem = (enabled: boolean): void => {
  if (process.platform === 'linux') {
    const file = entry()
    try {
      return setAutostart(file, enabled ? command() : undefined)
    } catch (error) {
      throw notStored('The start at login', file, error)
    }
  }
  const [path, ...args] = command()
  app.setLoginItemSettings({ openAtLogin: enabled, path, args })
  if (startsAtLogin() !== enabled) throw new RefusedError('not_allowed', NOT_DONE[enabled ? 'on' : 'off'])
}

const PLACE =
  process.platform === 'darwin' ? 'System Settings, General, Login Items' : 'the system’s settings, Apps, Startup'
const NOT_DONE = {
  on: `The system does not start the app at login. Allow it in ${PLACE}.`,
  off: `The system still starts the app at login. Turn it off in ${PLACE}.`,
}

/** An AppImage may have another name or folder than at its last start. */
export const renewLoginItem = (log: Logger): void => {
  if (process.platform !== 'linux' || !app.isPackaged) return
  try {
    renewAutostart(entry(), command())
  } catch (error) {
    log.warn({ err: error }, 'the entry for the start at login cannot be renewed')
  }
}
