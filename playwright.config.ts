// The tests that need a browser or a desktop window. `npm run test:e2e` builds what they need and runs them; arguments
// are Playwright's own: `npm run test:e2e -- --project=dashboard executions`.

import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { defineConfig, type Project } from '@playwright/test'
import type { DesktopOptions } from './e2e/desktop/launch.ts'
import { chooseEngine } from './e2e/engine.ts'
import { findBrowser, findHeadlessBrowser } from './scripts/find-browser.ts'
import './scripts/keep-compiled.ts'
import { restrictsUserNamespaces } from './scripts/restricts-user-namespaces.ts'

/** Where the project `package` installs the app. Playwright's processes inherit it. */
process.env['WES_TEST_INSTALLATION'] ??= join(tmpdir(), `wes installed ${process.pid}`)

const isCi = Boolean(process.env['CI'])
const isRoot = process.getuid?.() === 0
/** Whether somebody looks at the browser. Only Playwright's first process knows the arguments; others inherit the choice. */
const isWatched =
  Boolean(process.env['PWDEBUG']) ||
  process.env['STANDIN_HEADED'] === '1' ||
  process.argv.some((argument) => /^--(?:headed|debug|ui)\b/.test(argument))
const browser = (process.env['WES_TEST_BROWSER'] ??= (isWatched ? findBrowser() : findHeadlessBrowser()) ?? '')

const SHORT_FORM = /\/desktop\/(?:installed|first-minutes)\.spec\.ts$/
const PACKAGE: readonly Project<DesktopOptions>[] = [
  { name: 'install', testMatch: 'desktop/installation.setup.ts', teardown: 'uninstall' },
  { name: 'uninstall', testMatch: 'desktop/installation.teardown.ts' },
  {
    name: 'package',
    testMatch: process.env['WES_WHOLE_PACKAGE'] === '1' ? 'desktop/**/*.spec.ts' : SHORT_FORM,
    // All others have ended by then: without it, a single file would keep one worker busy, and the others idle.
    fullyParallel: true,
    dependencies: ['install'],
    use: { isInstalled: true },
  },
]

export default defineConfig<DesktopOptions>({
  testDir: 'e2e',
  projects: [
    // One context for each worker, which Playwright empties between tests: a sixth of the processor time goes into new ones.
    { name: 'dashboard', testMatch: 'dashboard/**/*.spec.ts', use: { reuseContext: true } },
    { name: 'desktop', testMatch: 'desktop/**/*.spec.ts', testIgnore: 'desktop/installed.spec.ts' },
    // The packaged app, on the stand-in. `npm run test:package` runs all tests of the desktop app on it.
    ...(process.platform === 'linux' && chooseEngine() === 'stand-in' ? PACKAGE : []),
    // The last ones to begin: test by test, so that no worker is alone with a file at the end. Not in CI, which has half an
    // hour, also on a slow machine: there the desktop app's tests, which run on the stand-in, must do.
    ...(isCi ? [] : [{ name: 'standin', testMatch: 'electron-standin/**/*.spec.ts', fullyParallel: true }]),
  ],
  outputDir: 'test-results',
  reporter: [['list'], ['./e2e/report-engine.ts']],
  forbidOnly: isCi,
  retries: isCi ? 2 : 0,
  workers: 3,
  // Machines of an eighth of the usual speed get time, and a hung test still ends, long before CI's half hour.
  timeout: 180_000,
  expect: { timeout: 60_000, toPass: { timeout: 60_000 } },
  use: {
    headless: true,
    // Without them an action waits for the whole time of its test, and nothing says which one it was.
    actionTimeout: 60_000,
    navigationTimeout: 60_000,
    // Copies of the page before and after each action take a seventh of a test's processor time: `--trace=on` makes them.
    trace: { mode: 'retain-on-failure', screenshots: false, snapshots: false },
    screenshot: 'only-on-failure',
    locale: 'en-US',
    timezoneId: 'UTC',
    launchOptions: {
      ...(browser !== '' && { executablePath: browser }),
      // Chromium refuses to run sandboxed as root, and cannot where the system forbids it.
      chromiumSandbox: process.platform === 'linux' && !isRoot && !restrictsUserNamespaces(),
      // What Playwright leaves on: nothing but this machine is ever looked up.
      args: ['--disable-domain-reliability', '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE localhost'],
    },
  },
})
