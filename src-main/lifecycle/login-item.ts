// Whether the app starts with the user's session, on this platform.

import { app } from 'electron'
import { autostartFile, setAutostart } from './start-at-login.ts'

export const setLoginItem = (enabled: boolean): void => {
  if (process.platform !== 'linux') {
    // A checkout is started by naming its folder.
    const args = app.isPackaged ? [] : [app.getAppPath()]
    return app.setLoginItemSettings({ openAtLogin: enabled, path: process.execPath, args })
  }
  setAutostart(autostartFile(app.getPath('appData')), enabled ? ownCommand() : undefined)
}

const ownCommand = (): readonly string[] => {
  if (!app.isPackaged) return [process.execPath, app.getAppPath()]
  // An AppImage runs from a folder that is removed afterwards.
  return [process.env['APPIMAGE'] ?? process.execPath]
}
