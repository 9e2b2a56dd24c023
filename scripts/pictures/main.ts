// `npm run pictures`: takes the pictures of README.md from the real dashboard and a real runtime, in headless Chromium,
// light and dark.

import { cpSync, mkdirSync, statSync } from 'node:fs'
import { join, relative } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { chromium, type Browser, type BrowserContextOptions, type Page } from '@playwright/test'
import { seedExecutions } from '../../bench/seed-executions.ts'
import { startDashboardRuntime, type DashboardRuntime } from '../../e2e/dashboard/dashboard-runtime.ts'
import type { ServiceClient } from '../../src-sdk/create-client.ts'
import { findBrowser } from '../find-browser.ts'
import { createFilm, takeStill } from './film.ts'
import { firstMinutes } from './first-minutes.ts'

const ROOT = join(import.meta.dirname, '../..')
const PICTURES = join(ROOT, 'docs/pictures')
const FILM_SIZE = { width: 1200, height: 750 }
const STILL_SIZE = { width: 1440, height: 810 }
const SCHEMES = ['light', 'dark'] as const
const PAGE_LIMIT_MS = 120_000
const DAY_MS = 86_400_000

/** The sample project, with Executions of some weeks. */
const startRuntime = async (): Promise<DashboardRuntime> => {
  const runtime = await startDashboardRuntime()
  await runtime.stop()
  await seedExecutions({
    dataDir: runtime.dataDir,
    executions: 4_000,
    historyEntries: 0,
    historyCommands: 0,
    spreadMs: 14 * DAY_MS,
  })
  const isSource = (path: string): boolean => !/node_modules|\.test\.ts$|vitest\.config/.test(relative(ROOT, path))
  for (const name of ['programs', 'wes.config.ts']) {
    const from = join(ROOT, 'examples/project', name)
    cpSync(from, join(runtime.projectFolder, name), { recursive: true, filter: isSource })
  }
  await runtime.start()
  await runSamples(runtime)
  return runtime
}

/** One of each kind, newest last. */
const runSamples = async ({ client }: DashboardRuntime): Promise<void> => {
  const order = (orderId: string, cents: number) => client.start('order-approval', { orderId, cents })
  const approve = async (orderId: string, cents: number, by: string) =>
    (await order(orderId, cents)).send('approved', { by })
  for (let tries = 0; tries < 100 && !(await isDeployed(client, 'trip-saga')); tries++) await sleep(200)
  await client.start('nightly-report', { nights: 1, everyMs: 200 })
  await approve('A-1035', 12_900, 'Grace')
  await approve('A-1036', 4_250, 'Linus')
  await client.start('trip-saga', { trip: 'Rome' })
  await client.start('onboarding', { email: 'ada@example.com' })
  await approve('A-1037', 0, 'Grace')
  await client.start('trip-saga', { trip: 'Atlantis (impossible)' })
  const cancelled = await order('A-1038', 99_900)
  await cancelled.cancel()
  await approve('A-1039', 7_400, 'Margaret')
  await order('A-1040', 3_150)
  await order('A-1041', 18_000)
  await sleep(4_000)
}

const isDeployed = (client: ServiceClient, id: string): Promise<boolean> =>
  client.getProgram(id).then(
    () => true,
    () => false,
  )

const openPage = async (browser: Browser, options: BrowserContextOptions): Promise<Page> => {
  const context = await browser.newContext({ timezoneId: 'UTC', ...options })
  context.setDefaultTimeout(PAGE_LIMIT_MS)
  return context.newPage()
}

const take = async (runtime: DashboardRuntime, browser: Browser): Promise<void> => {
  for (const scheme of SCHEMES) {
    const filmed = await openPage(browser, { colorScheme: scheme, viewport: FILM_SIZE })
    const film = createFilm(filmed)
    try {
      await firstMinutes(filmed, film, runtime)
      film.write(join(PICTURES, `first-minutes-${scheme}.webp`))
    } finally {
      film.dispose()
    }
    const still = await openPage(browser, { colorScheme: scheme, viewport: STILL_SIZE, deviceScaleFactor: 1.5 })
    await still.goto(`${runtime.url}/executions`)
    await still.getByRole('heading', { level: 1 }).waitFor()
    await still.waitForTimeout(1_500)
    await takeStill(still, join(PICTURES, `dashboard-${scheme}.webp`))
    for (const page of [filmed, still]) await page.context().close()
    for (const name of ['first-minutes', 'dashboard']) {
      const file = join(PICTURES, `${name}-${scheme}.webp`)
      console.log(`${relative(ROOT, file)}: ${Math.round(statSync(file).size / 1024)} kB`)
    }
  }
}

const executablePath = findBrowser()
if (executablePath === undefined) throw new Error('found no Chromium: run `node scripts/ensure-browser.ts`')
mkdirSync(PICTURES, { recursive: true })
const runtime = await startRuntime()
const browser = await chromium.launch({ executablePath, chromiumSandbox: false })
try {
  await take(runtime, browser)
} finally {
  await browser.close()
  await runtime.dispose()
}
