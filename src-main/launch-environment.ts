// The app's environment variables. Only a source checkout reads them: in an installed app, anyone who sets a variable
// could show a page of their own with access to the preload. An administrator may turn updates off everywhere.

import { isAbsolute } from 'node:path'

export type LaunchEnvironment = {
  /** Instead of the platform's folder for the app's own files, so that tests have one each. */
  readonly userDataFolder?: string
  /** Replaces the port of the settings. */
  readonly port?: number
  /** The project folder to open. */
  readonly projectFolder?: string
  /** The server of `electron-vite dev`, whose page is shown instead of the built one. */
  readonly pageServer?: string
  /** A folder of releases on this computer, for tests of updates. */
  readonly updateFeed?: string
  readonly noUpdates?: true
}

export const readLaunchEnvironment = (env: NodeJS.ProcessEnv, isPackaged: boolean): LaunchEnvironment => {
  const everywhere = env['WES_NO_UPDATES'] === '1' ? ({ noUpdates: true } as const) : {}
  if (isPackaged) return everywhere
  const { WES_USER_DATA_DIR: folder = '', WES_PORT: port = '', ELECTRON_RENDERER_URL: server = '' } = env
  const { WES_PROJECT_FOLDER: projectFolder = '', WES_UPDATE_FEED: updateFeed = '' } = env
  return {
    ...everywhere,
    ...(isAbsolute(folder) && { userDataFolder: folder }),
    ...(/^\d+$/.test(port) && isPort(Number(port)) && { port: Number(port) }),
    ...(isAbsolute(projectFolder) && { projectFolder }),
    ...(isLoopbackUrl(server) && { pageServer: server }),
    ...(isLoopbackUrl(updateFeed) && { updateFeed }),
  }
}

const isLoopbackUrl = (text: string): boolean => {
  const url = URL.parse(text)
  return url?.protocol === 'http:' && ['localhost', '127.0.0.1', '[::1]'].includes(url.hostname)
}

/** Defined here, so that a second instance ends before it loads anything large. */
const isPort = (port: number): boolean => port >= 1 && port <= 65_535
