// Runs the fixture app with the selected Electron, and checks that it leaves no processes.

import { _electron, test as base, expect, type ElectronApplication, type Page } from '@playwright/test'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { chooseEngine, type Engine } from '../engine.ts'
import { processesMarked } from '../leftovers.ts'

export { expect }

export const FIXTURE_APP = join(import.meta.dirname, 'fixture-app')

/** Values that the app keeps for tests in its main process. */
export type Kept = {
  readonly isLoaded: boolean
  readonly events: { readonly name: string; readonly [member: string]: unknown }[]
  readonly cancelled: number
  readonly openings: string[]
  readonly sent: unknown[]
}

type Fixtures = {
  readonly engine: Engine
  /** The environment of this test. All processes with it must have ended after the test. */
  readonly env: Readonly<Record<string, string>>
  readonly start: (env?: Readonly<Record<string, string>>) => Promise<ElectronApplication>
  readonly electronApp: ElectronApplication
  readonly page: Page
  readonly kept: () => Promise<Kept>
}

export const test = base.extend<Fixtures>({
  engine: [chooseEngine(), { option: true }],
  // oxlint-disable-next-line no-empty-pattern -- Playwright reads the names of the fixtures from the pattern
  env: async ({}, provide) => {
    const userData = mkdtempSync(join(tmpdir(), 'standin-test-'))
    const inherited = Object.fromEntries(Object.entries(process.env).filter(([, value]) => value !== undefined))
    const temporary = mkdtempSync(join(tmpdir(), 'standin-tmp-'))
    await provide({
      ...(inherited as Record<string, string>),
      FIXTURE_USER_DATA: userData,
      ...(chooseEngine() === 'stand-in' && { TMPDIR: temporary }),
      WES_CHROMIUM: process.env['WES_TEST_BROWSER'] ?? '',
    })
    await expect
      .poll(() => processesMarked(userData), {
        message: 'everything that was started has ended',
        intervals: [20, 50, 100, 200],
      })
      .toEqual([])
    await expect
      .poll(() => readdirSync(temporary).filter((name) => /chrom|standin/i.test(name)), {
        message: 'no temporary file of the stand-in is left',
        intervals: [20, 50, 100, 200],
      })
      .toEqual([])
    for (const folder of [userData, temporary]) rmSync(folder, { recursive: true, force: true })
  },
  start: async ({ env }, provide) => {
    const started: ElectronApplication[] = []
    await provide(async (more = {}) => {
      const app = await _electron.launch({ args: [FIXTURE_APP], env: { ...env, ...more }, colorScheme: null })
      started.push(app)
      return app
    })
    await Promise.all(started.map((app) => app.close()))
  },
  electronApp: async ({ start }, provide) => provide(await start()),
  page: async ({ electronApp }, provide) => {
    const page = await electronApp.firstWindow()
    await page.waitForURL((url) => url.protocol !== 'about:')
    // Main gets it a little later than Playwright.
    const isLoaded = () =>
      electronApp.evaluate(() => (globalThis as unknown as { readonly fixture: Kept }).fixture.isLoaded)
    await expect.poll(isLoaded).toBe(true)
    await provide(page)
  },
  kept: async ({ electronApp }, provide) =>
    provide(() => electronApp.evaluate(() => (globalThis as unknown as { readonly fixture: Kept }).fixture)),
})
