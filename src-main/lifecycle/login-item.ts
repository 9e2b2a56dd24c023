// Whether the app starts with the user's session, on this platform.

import { app } from 'electron'
import { ownCommand } from './own-command.ts'
import { autostartFile, setAutostart } from './start-at-login.ts'

export const setLoginItem = (enabled: boolean): void => {
  const { env, execPath, platform } = process
  const command = ownCommand({ env, execPath, isPackaged: app.isPackaged, appPath: app.getAppPath() })
  if (platform !== 'linux') {
    const [path, ...args] = command
    return app.setLoginItemSettings({ openAtLogin: enabled, path, args })
  }
  setAutostart(autostartFile(app.getPath('appData')), enabled ? command : undefined)
}
