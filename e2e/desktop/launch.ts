// Runs the built desktop app with the selected Electron, one per test. A test fails if its page complains, unless the test
// allows that, and if the app leaves any process.

import { _electron, test as base, expect, type ElectronApplication, type Page, type TestInfo } from '@playwright/test'
import { type ChildProcess, spawn, type StdioOptions } from 'node:child_process'
import { existsSync, globSync } from 'node:fs'
import { once } from 'node:events'
import { createRequire } from 'node:module'
import { basename, join } from 'node:path'
import type { DesktopApi } from '../../src-main/preload/desktop-api.ts'
import { chooseEngine, type Engine } from '../engine.ts'
import { descendantsOf, type Leftover, processesMarked, stillAlive } from '../leftovers.ts'
import { createDesktopHome, type DesktopHome, ROOT } from './desktop-home.ts'
import { INSTALLED_APP, STAND_IN_OF_INSTALLED } from './installation.ts'

export { expect }

declare global {
  /** Complaints in pages of the app. */
  var wesDesktop: DesktopApi
}

export type DesktopApp = {
  readonly electronApp: ElectronApplication
  /** The page of the first window, once it shows the dashboard. */
  page(): Promise<Page>
  /** Resolves to the exit code. */
  quit(): Promise<number | null>
  /** Kills it like a power failure. */
  kill(): Promise<void>
}

type LaunchOptions = {
  /** Additional arguments of the user or the system. */
  readonly args?: readonly string[]
  readonly env?: Readonly<Record<string, string>>
}

export type DesktopOptions = {
  /** Whether the app is the one that `npm run package:dir` laid out, and not this checkout. */
  readonly isInstalled: boolean
}

type Fixtures = DesktopOptions & {
  readonly engine: Engine
  readonly home: DesktopHome
  /** May be called again for another start. */
  readonly launch: (options?: LaunchOptions) => Promise<DesktopApp>
  /** Starts a second instance, which passes its arguments to the first and ends. Resolves to its exit code. */
  readonly startAgain: (...args: readonly string[]) => Promise<number | null>
  /** Starts the app without Playwright, with a channel for messages, as `npm start` does on Windows. */
  readonly startWithChannel: () => ChildProcess
  readonly app: DesktopApp
  readonly electronApp: ElectronApplication
  readonly page: Page
  /** Allows matching complaints. */
  readonly allow: (complaint: RegExp) => void
  readonly complaints: { readonly found: string[]; readonly allowed: RegExp[] }
}

/** The window may open before its runtime is ready; until then Chromium logs each failed request. */
const WHILE_STOPPED = /status of 503 \(Service Unavailable\) \(\S+\/local\//
/** Complaints when the runtime or the app ends during an answer. */
export const CUT_OFF = /net::ERR_(INCOMPLETE_CHUNKED_ENCODING|CONNECTION_|EMPTY_RESPONSE)/

const ENTRY = join(ROOT, 'out/main/src-main/main.js')
const RECORD = join(import.meta.dirname, 'record.cjs')
/** Playwright gives it to no app that it is told the executable of. */
const LOADER = join(ROOT, 'node_modules/playwright-core/lib/server/electron/loader.js')
const QUIT_LIMIT_MS = 15_000
const SOON_MS = [20, 50, 100, 200]

export const test = base.extend<Fixtures>({
  engine: [chooseEngine(), { option: true }],
  isInstalled: [false, { option: true }],
  home: async ({ isInstalled }, provide, testInfo) => {
    if (!existsSync(ENTRY)) throw new Error('the desktop app is not built: npm run build')
    const home = await createDesktopHome(isInstalled)
    await provide(home)
    if (testInfo.status !== testInfo.expectedStatus) await attachLogs(home, testInfo)
    await expect
      .poll(() => processesMarked(home.folder), { message: 'nothing of the app is left', intervals: SOON_MS })
      .toEqual([])
    home.remove()
  },
  // oxlint-disable-next-line no-empty-pattern -- Playwright reads the names of the fixtures from the pattern
  complaints: async ({}, provide) => {
    const complaints = { found: [] as string[], allowed: [WHILE_STOPPED] }
    await provide(complaints)
    expect(complaints.found.filter((one) => !complaints.allowed.some((pattern) => pattern.test(one)))).toEqual([])
  },
  allow: async ({ complaints }, provide) => provide((pattern) => void complaints.allowed.push(pattern)),
  launch: async ({ home, complaints, isInstalled }, provide) => {
    const started: DesktopApp[] = []
    await provide(async (options = {}) => {
      const app = await start(home, isInstalled, options, complaints.found)
      started.push(app)
      return app
    })
    await Promise.all(started.map((app) => app.quit()))
  },
  startAgain: async ({ home, isInstalled }, provide) =>
    provide(async (...args) => {
      const [code] = (await once(spawnApp(home, isInstalled, args, 'ignore'), 'exit')) as [number | null]
      return code
    }),
  startWithChannel: async ({ home, isInstalled }, provide) => {
    const started: ChildProcess[] = []
    await provide(() => {
      const child = spawnApp(home, isInstalled, [], ['ignore', 'ignore', 'ignore', 'ipc'])
      started.push(child)
      return child
    })
    for (const child of started) if (child.exitCode === null && child.signalCode === null) child.kill()
  },
  app: async ({ launch }, provide) => provide(await launch()),
  electronApp: async ({ app }, provide) => provide(app.electronApp),
  page: async ({ app }, provide) => provide(await app.page()),
})

const spawnApp = (
  home: DesktopHome,
  isInstalled: boolean,
  args: readonly string[],
  stdio: StdioOptions,
): ChildProcess => {
  const [binary, app] = isInstalled ? [INSTALLED_APP, []] : [electronBinary(), [ROOT]]
  const env = { ...home.env, ...STAND_IN_OF_INSTALLED }
  return spawn(binary, ['--no-sandbox', ...app, ...args], { cwd: home.folder, env, stdio })
}

const attachLogs = async ({ userData }: DesktopHome, testInfo: TestInfo): Promise<void> => {
  for (const path of globSync(join(userData, 'logs/*'))) {
    await testInfo.attach(basename(path), { path, contentType: 'text/plain' })
  }
}

/** Waits until the page shows that the runtime is ready. */
export const untilReady = (page: Page): Promise<void> =>
  expect(page.getByRole('status', { name: 'Runtime', exact: true })).toHaveText('Runtime ready')

/** The binary, found like Playwright does. */
export const electronBinary = (): string => createRequire(import.meta.url)('electron') as string

const start = async (
  home: DesktopHome,
  isInstalled: boolean,
  { args = [], env }: LaunchOptions,
  complaints: string[],
): Promise<DesktopApp> => {
  const electronApp = await _electron.launch({
    ...(isInstalled
      ? { executablePath: INSTALLED_APP, args: ['-r', LOADER, '-r', RECORD, ...args] }
      : { args: ['-r', RECORD, ROOT, ...args] }),
    cwd: home.folder,
    env: { ...home.env, ...STAND_IN_OF_INSTALLED, ...env },
    colorScheme: null,
  })
  listen(electronApp, complaints)
  const child = electronApp.process()
  const ended = once(child, 'exit')
  let children: readonly Leftover[] = []
  const noteChildren = () => {
    if (child.exitCode === null && child.signalCode === null) children = descendantsOf(child.pid!)
  }
  /** Some processes do not have the app's environment, so they are found by name. */
  const expectChildrenToEnd = () =>
    expect
      .poll(() => stillAlive(children), { message: 'all children of the app have ended', intervals: SOON_MS })
      .toEqual([])
  return {
    electronApp,
    page: () => firstPage(electronApp),
    async quit() {
      noteChildren()
      const late = setTimeout(() => killGroup(child.pid!), QUIT_LIMIT_MS)
      await electronApp.close()
      if (child.exitCode === null && child.signalCode === null) await ended
      clearTimeout(late)
      await expectChildrenToEnd()
      return child.exitCode
    },
    async kill() {
      noteChildren()
      child.kill('SIGKILL')
      await ended
      await expectChildrenToEnd()
    },
  }
}

/** Real Electron also begins with a blank page. */
const firstPage = async (electronApp: ElectronApplication): Promise<Page> => {
  const page = await electronApp.firstWindow()
  await page.waitForURL((url) => url.protocol !== 'about:')
  await expect(page.getByRole('main')).toBeVisible()
  return page
}

const listen = (electronApp: ElectronApplication, complaints: string[]): void => {
  const context = electronApp.context()
  context.on('console', (message) => {
    if (message.type() !== 'error' && message.type() !== 'warning') return
    complaints.push(`console.${message.type()}: ${message.text()} (${message.location().url})`)
  })
  context.on('weberror', (error) => complaints.push(`page error: ${error.error().stack ?? error.error().message}`))
}

/** Playwright starts it as a process group leader. */
const killGroup = (leader: number): void => {
  try {
    process.kill(-leader, 'SIGKILL')
  } catch {
    // It has already ended.
  }
}
