// Finds a Chromium on this machine for the browser tests. ensure-browser.ts installs one.

import { createRequire } from 'node:module'
import { homedir } from 'node:os'
import { posix, win32 } from 'node:path'
import type * as Playwright from '@playwright/test'
import { isExecutable } from './is-executable.ts'

type Environment = Readonly<Record<string, string | undefined>>

/** The inputs of the choice. */
export type Places = {
  readonly platform: NodeJS.Platform
  readonly env: Environment
  readonly home: string
  /** The path of Playwright's download, which may not exist. */
  readonly ownDownload: () => string | undefined
  readonly isExecutable: (path: string) => boolean
}

/** The path of Chromium's executable. Throws if WES_CHROMIUM is invalid. */
export const findBrowser = (): string | undefined => chooseBrowser(here())

/**
 * For pages that nobody looks at: Debian's headless shell if it is installed, which shows pages without the windows of a
 * browser around them, and so takes a quarter less processor time for a test. Otherwise the same as `findBrowser`.
 */
export const findHeadlessBrowser = (): string | undefined => chooseHeadlessBrowser(here())

export const chooseHeadlessBrowser = (places: Places): string | undefined =>
  places.env['WES_CHROMIUM'] || places.platform !== 'linux' || !places.isExecutable(HEADLESS_SHELL)
    ? chooseBrowser(places)
    : HEADLESS_SHELL

const here = (): Places => ({
  platform: process.platform,
  env: process.env,
  home: homedir(),
  ownDownload,
  isExecutable,
})

export const chooseBrowser = (places: Places): string | undefined => {
  const named = places.env['WES_CHROMIUM']
  if (named) {
    if (places.isExecutable(named)) return named
    throw new Error(`WES_CHROMIUM is ${named}, which is not an executable file`)
  }
  const own = places.ownDownload()
  if (own !== undefined && places.isExecutable(own)) return own
  return usualPlaces(places).find(places.isExecutable)
}

/** Not the script in /usr/bin, which stays between the browser and whoever starts and ends it. */
const HEADLESS_SHELL = '/usr/lib/chromium/chromium-headless-shell'
const COMMANDS = ['google-chrome-stable', 'google-chrome', 'chromium', 'chromium-browser']
const UNIX_FOLDERS = ['/usr/bin', '/usr/local/bin', '/snap/bin']
const MAC_APPS = ['Google Chrome', 'Chromium']
const WINDOWS_APPS = [
  String.raw`Google\Chrome\Application\chrome.exe`,
  String.raw`Chromium\Application\chrome.exe`,
  String.raw`Microsoft\Edge\Application\msedge.exe`,
]

const usualPlaces = ({ platform, env, home }: Places): readonly string[] => {
  if (platform === 'win32') {
    const roots = [env['PROGRAMFILES'], env['PROGRAMFILES(X86)'], env['LOCALAPPDATA']].filter((root) => root)
    return WINDOWS_APPS.flatMap((app) => roots.map((root) => win32.join(root!, app)))
  }
  const folders = [...new Set([...(env['PATH'] ?? '').split(':').filter(posix.isAbsolute), ...UNIX_FOLDERS])]
  const commands = COMMANDS.flatMap((command) => folders.map((folder) => posix.join(folder, command)))
  if (platform !== 'darwin') return [...commands, '/opt/google/chrome/chrome']
  const apps = MAC_APPS.flatMap((app) =>
    ['/Applications', posix.join(home, 'Applications')].map((root) => `${root}/${app}.app/Contents/MacOS/${app}`),
  )
  return [...apps, ...commands]
}

/** Loads Playwright only when needed, because it is large. */
const ownDownload = (): string | undefined => {
  const { chromium } = createRequire(import.meta.url)('@playwright/test') as typeof Playwright
  return chromium.executablePath()
}
