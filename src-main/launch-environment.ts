// What the environment may say to the app. Only a source checkout listens: an installed app that did would show the
// page of whoever sets a variable, with all that the preload offers.

import { isAbsolute } from 'node:path'

export type LaunchEnvironment = {
  /** Instead of the platform's folder for the app's own files, so that tests have one each. */
  readonly userDataFolder?: string
  /** Instead of the port in the settings. */
  readonly port?: number
  /** Opened as if the user had chosen it. */
  readonly projectFolder?: string
  /** The server of `electron-vite dev`, whose page is shown instead of the built one. */
  readonly pageServer?: string
}

export const readLaunchEnvironment = (env: NodeJS.ProcessEnv, isPackaged: boolean): LaunchEnvironment => {
  if (isPackaged) return {}
  const { WES_USER_DATA_DIR: folder = '', WES_PORT: port = '', ELECTRON_RENDERER_URL: server = '' } = env
  const { WES_PROJECT_FOLDER: projectFolder = '' } = env
  return {
    ...(isAbsolute(folder) && { userDataFolder: folder }),
    ...(/^\d+$/.test(port) && isPort(Number(port)) && { port: Number(port) }),
    ...(isAbsolute(projectFolder) && { projectFolder }),
    ...(isLoopbackUrl(server) && { pageServer: server }),
  }
}

const isLoopbackUrl = (text: string): boolean => {
  const url = URL.parse(text)
  return url?.protocol === 'http:' && ['localhost', '127.0.0.1', '[::1]'].includes(url.hostname)
}

/** Here, so that nothing large is loaded before a second instance is gone. */
const isPort = (port: number): boolean => port >= 1 && port <= 65_535
