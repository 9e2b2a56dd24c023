// The tests that need a browser or a desktop window. `npm run test:e2e` builds what they need and runs them; arguments
// are Playwright's own: `npm run test:e2e -- --project=dashboard executions`.

import { defineConfig } from '@playwright/test'
import { findBrowser } from './scripts/find-browser.ts'
import { restrictsUserNamespaces } from './scripts/restricts-user-namespaces.ts'

const isCi = Boolean(process.env['CI'])
const isRoot = process.getuid?.() === 0
const browser = findBrowser()

export default defineConfig({
  testDir: 'e2e',
  projects: [
    { name: 'dashboard', testMatch: 'dashboard/**/*.spec.ts' },
    // Some of them start the app three times.
    { name: 'desktop', testMatch: 'desktop/**/*.spec.ts', timeout: 90_000 },
    { name: 'standin', testMatch: 'electron-standin/**/*.spec.ts' },
  ],
  outputDir: 'test-results',
  reporter: [['list'], ['./e2e/report-engine.ts']],
  forbidOnly: isCi,
  retries: isCi ? 2 : 0,
  workers: 2,
  timeout: 30_000,
  expect: { timeout: 10_000 },
  use: {
    headless: true,
    trace: 'retain-on-failure',
    screenshot: 'only-on-failure',
    locale: 'en-US',
    timezoneId: 'UTC',
    launchOptions: {
      ...(browser !== undefined && { executablePath: browser }),
      // Chromium refuses to run sandboxed as root, and cannot where the system forbids it.
      chromiumSandbox: process.platform === 'linux' && !isRoot && !restrictsUserNamespaces(),
      // What Playwright leaves on: nothing but this machine is ever looked up.
      args: ['--disable-domain-reliability', '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE localhost'],
    },
  },
})
