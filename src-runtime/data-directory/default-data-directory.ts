// The default path of the data directory. In its own module, so that callers who need only the path load no database.

import { homedir, userInfo } from 'node:os'
import path from 'node:path'

type Environment = Readonly<Record<string, string | undefined>>

/** `WES_DATA_DIR`, or else the platform's folder for application data. Empty values count as unset. */
export const defaultDataDirectory = (
  env: Environment,
  platform: NodeJS.Platform = process.platform,
  home: string = homeFolder(),
): string => {
  if (env.WES_DATA_DIR) return env.WES_DATA_DIR
  if (platform === 'win32') {
    return path.win32.join(env.LOCALAPPDATA || path.win32.join(home, 'AppData', 'Local'), 'wes')
  }
  if (platform === 'darwin') return path.posix.join(home, 'Library', 'Application Support', 'wes')
  // The XDG specification says to ignore relative paths.
  const dataHome = env.XDG_DATA_HOME && path.posix.isAbsolute(env.XDG_DATA_HOME) ? env.XDG_DATA_HOME : undefined
  return path.posix.join(dataHome ?? path.posix.join(home, '.local', 'share'), 'wes')
}

/** Never a relative path, as of an empty HOME: then the data would be somewhere else in each folder. */
const homeFolder = (): string => {
  try {
    const home = homedir()
    return path.isAbsolute(home) ? home : userInfo().homedir
  } catch {
    // The system does not know the user, as in some containers.
    return path.resolve('/')
  }
}
