// Electron's paths on Linux.

import { homedir, tmpdir } from 'node:os'
import { join } from 'node:path'
import type { App } from 'electron'

export type PathName = Parameters<App['getPath']>[0]

export const defaultPath = (name: PathName, appName: string, overridden: (name: PathName) => string): string => {
  const home = homedir()
  switch (name) {
    case 'home':
      return home
    case 'appData':
      return process.env['XDG_CONFIG_HOME'] || join(home, '.config')
    case 'userData':
      return join(overridden('appData'), appName)
    case 'sessionData':
      return overridden('userData')
    case 'logs':
      return join(overridden('userData'), 'logs')
    case 'crashDumps':
      return join(overridden('userData'), 'Crashpad')
    case 'temp':
      return tmpdir()
    case 'exe':
    case 'module':
      return process.execPath
    case 'desktop':
    case 'documents':
    case 'downloads':
    case 'music':
    case 'pictures':
    case 'videos':
      return join(home, name[0]!.toUpperCase() + name.slice(1))
    default:
      throw new Error(`Failed to get '${name}' path`)
  }
}
