// The folders that an AppImage puts into variables before it starts the app. Effects, editors and browsers that the app starts would
// load libraries from them, and look for programs in them, also when the app has ended and they are gone.

import { ownAppImage } from './own-command.ts'

/** What electron-builder's `AppRun` puts in front, below the folder in which the AppImage is mounted. */
const ADDED: Readonly<Record<string, readonly string[]>> = {
  PATH: ['', '/usr/sbin'],
  LD_LIBRARY_PATH: ['/usr/lib'],
  XDG_DATA_DIRS: ['/usr/share/'],
  GSETTINGS_SCHEMA_DIR: ['/usr/share/glib-2.0/schemas'],
}

/** Changes `env`. This process has found its own libraries already. */
export const removeAppImageFolders = (env: NodeJS.ProcessEnv, execPath: string): void => {
  const { APPDIR: mounted } = env
  if (mounted === undefined || ownAppImage({ env, execPath }) === undefined) return
  for (const [name, folders] of Object.entries(ADDED)) {
    const added = folders.map((folder) => mounted + folder)
    const others = (env[name] ?? '').split(':').filter((folder) => folder !== '' && !added.includes(folder))
    if (others.length === 0) delete env[name]
    else env[name] = others.join(':')
  }
}
