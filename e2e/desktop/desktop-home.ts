// The folders, port and settings of a test's desktop app. Does not use the tester's own.

import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { APP_NAME } from '../../src-main/app-identity.ts'
import { trustFolder } from '../../src-runtime/data-directory/trusted-folders.ts'
import { createClient, type ServiceClient } from '../../src-sdk/create-client.ts'
import { freePorts } from '#hosted/boot/free-ports.ts'

export const ROOT = join(import.meta.dirname, '../..')

export type DesktopHome = {
  readonly folder: string
  readonly userData: string
  /** The user's, of all programs. */
  readonly configFolder: string
  readonly dataDir: string
  readonly port: number
  /** `http://localhost:PORT` */
  readonly url: string
  readonly client: ServiceClient
  readonly env: Readonly<Record<string, string>>
  /** The settings at the start. By default those of a new user. */
  storeSettings(settings: object): void
  /** Writes a file of its own project, and returns the project's folder. */
  writeProject(path: string, text: string): string
  /** Trusts a folder, like a user who confirms the question. */
  trust(folder: string): void
  remove(): void
}

/** An installed app reads none of our variables, so its files are where a user's are. */
export const createDesktopHome = async (isInstalled: boolean): Promise<DesktopHome> => {
  const folder = mkdtempSync(join(tmpdir(), 'wes-desktop-'))
  const home = join(folder, 'home')
  const configFolder = isInstalled ? join(home, '.config') : join(folder, 'config')
  const userData = isInstalled ? join(configFolder, APP_NAME) : join(folder, 'user-data')
  const dataDir = isInstalled ? join(home, '.local/share/wes') : join(folder, 'data')
  const project = join(folder, 'project')
  mkdirSync(userData, { recursive: true })
  const [port = 0] = await freePorts([0])
  const url = `http://localhost:${port}`
  const storeSettings = (settings: object): void =>
    writeFileSync(join(userData, 'settings.json'), JSON.stringify(isInstalled ? { port, ...settings } : settings))
  if (isInstalled) storeSettings({})
  const inherited = Object.entries(process.env).filter(
    (entry): entry is [string, string] => entry[1] !== undefined && !(isInstalled && /^(?:XDG|WES)_/.test(entry[0])),
  )
  const places: Readonly<Record<string, string>> = isInstalled
    ? { HOME: home }
    : { WES_USER_DATA_DIR: userData, WES_DATA_DIR: dataDir, WES_PORT: String(port), XDG_CONFIG_HOME: configFolder }
  return {
    folder,
    userData,
    configFolder,
    dataDir,
    port,
    url,
    client: createClient({ url }),
    env: {
      ...Object.fromEntries(inherited),
      ...places,
      WES_CHROMIUM: process.env['WES_TEST_BROWSER'] ?? '',
    },
    storeSettings,
    writeProject(path, text) {
      const file = join(project, path)
      mkdirSync(dirname(file), { recursive: true })
      writeFileSync(file, text)
      // An installed app compiles projects that nothing is installed in.
      if (!isInstalled) linkModules(project)
      return project
    },
    trust: (trusted) => trustFolder(dataDir, trusted),
    remove: () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }),
  }
}

/** Makes the project's imports of the client resolve. */
const linkModules = (project: string): void => {
  try {
    symlinkSync(join(ROOT, 'node_modules'), join(project, 'node_modules'))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
}
