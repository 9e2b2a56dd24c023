// The runtime switch, its use and its failures.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readFileSync, rmSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import { join } from 'node:path'
import type { Page } from '@playwright/test'
import Database from 'better-sqlite3'
import packageJson from '../../package.json' with { type: 'json' }
import { APPLICATION_ID } from '#runtime/store/migrations.ts'
import { makeFastToUpgrade, writeSlowToUpgrade } from '#runtime/store/slow-upgrade.test-support.ts'
import { takeScreenshot } from '../dashboard/take-screenshots.ts'
import { startRuntimeProcess } from '../runtime-process.test-support.ts'
import { CUT_OFF, expect, test } from './launch.ts'
import { clickMenu, menuIsEnabled, openedOutside, trayLabels } from './platform.ts'

const runtime = (page: Page) => page.getByRole('status', { name: 'Runtime', exact: true })
/** At the bottom of the rail; the page may offer the same elsewhere. */
const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).first().click()

const answers = (url: string): Promise<boolean> =>
  fetch(`${url}/healthz`).then(
    ({ ok }) => ok,
    () => false,
  )

test('is stopped, started and restarted from the page', async ({ allow, home, page }) => {
  allow(CUT_OFF)
  await expect(runtime(page)).toHaveText('Runtime ready')
  const main = page.getByRole('main')
  await page.getByRole('link', { name: 'Programs', exact: true }).click()
  await expect(main).toContainText('No Programs yet')
  // The data directory is no project folder.
  await expect(main).not.toContainText(home.dataDir)
  await page.getByRole('link', { name: 'Metrics' }).click()
  await expect(main).toContainText('Finished per second')
  await press(page, 'Stop runtime')
  await expect(runtime(page)).toHaveText('Runtime stopped')
  expect(await answers(home.url)).toBe(false)
  const contact = page.getByRole('status', { name: 'Availability' })
  await expect(contact).toContainText('The runtime is stopped. Showing data from')

  // Nobody knows whether there are still no Programs. The screen says so, and the notice does not say it again.
  await page.getByRole('link', { name: 'Programs', exact: true }).click()
  await expect(main.getByRole('heading', { name: 'The runtime is stopped' })).toBeVisible()
  await expect(main).not.toContainText('No Programs yet')
  await expect(contact.locator('p')).toBeHidden()
  await page.getByRole('link', { name: 'Metrics' }).click()

  // Trying again would not help.
  await expect(contact.getByRole('button')).toHaveText('Start the runtime')
  await contact.getByRole('button').click()
  await expect(runtime(page)).toHaveText('Runtime ready')
  const { startedAt } = (await (await fetch(`${home.url}/healthz`)).json()) as { readonly startedAt: string }
  await expect(contact).toBeEmpty()
  await expect(main, 'the button is gone').toBeFocused()

  await press(page, 'Restart runtime')
  await expect
    .poll(async () => {
      const health = await fetch(`${home.url}/healthz`).then(
        (response) => response.json() as Promise<object>,
        () => ({}),
      )
      return 'startedAt' in health && health.startedAt !== startedAt
    })
    .toBe(true)
  await expect(runtime(page)).toHaveText('Runtime ready')
})

test('is the same in menu, tray and palette', async ({ electronApp, page }) => {
  await expect(runtime(page)).toHaveText('Runtime ready')
  await clickMenu(electronApp, 'stop-runtime')
  await expect(runtime(page)).toHaveText('Runtime stopped')
  expect(await menuIsEnabled(electronApp, 'stop-runtime')).toBe(false)
  expect(await menuIsEnabled(electronApp, 'start-runtime')).toBe(true)
  expect(await trayLabels(electronApp)).toEqual([
    'Runtime stopped',
    'Start Runtime',
    'Connect to Hosted…',
    'Open Dashboard',
    'Quit',
  ])
  await clickMenu(electronApp, 'command-palette')
  await page.getByRole('combobox', { name: 'Search everything' }).fill('start runtime')
  await expect(page.getByRole('option', { name: 'Start runtime' })).toHaveAttribute('data-highlighted')
  await page.keyboard.press('Enter')
  await expect(runtime(page)).toHaveText('Runtime ready')
})

test('stays off after a restart of the app', async ({ home, launch }) => {
  const first = await launch()
  const page = await first.page()
  await expect(runtime(page)).toHaveText('Runtime ready')
  await press(page, 'Stop runtime')
  await expect(runtime(page)).toHaveText('Runtime stopped')
  await first.quit()
  const again = await (await launch()).page()
  await expect(runtime(again)).toHaveText('Runtime stopped')
  expect(await answers(home.url)).toBe(false)
  await expect(again.getByRole('heading', { name: 'The runtime is stopped' })).toBeVisible()
  await expect(again.getByRole('button', { name: 'Start runtime' })).toHaveCount(1)
  // The screen says it already.
  await expect(again.getByRole('status', { name: 'Availability' }).locator('p')).toBeHidden()
  // Its data can still be shown, backed up and reset.
  await again.getByRole('link', { name: 'Settings' }).click()
  await expect(again.getByRole('region', { name: 'Data' })).toContainText(home.dataDir)
})

test('a runtime that does not answer is reported, and restarted', async ({ allow, electronApp, home, page }) => {
  allow(CUT_OFF)
  await expect(runtime(page)).toHaveText('Runtime ready')
  // On a slow machine, it may run again before the test looks.
  const crashed = page.evaluate(
    () =>
      new Promise<string>((resolve) => {
        new MutationObserver(() => {
          const alert = document.querySelector('[role="alert"][aria-label="The runtime failed"]')
          if (alert !== null)
            resolve(`${document.querySelector('[aria-label="Runtime"]')?.textContent}: ${alert.textContent}`)
        }).observe(document.body, { subtree: true, childList: true, characterData: true })
      }),
  )
  // If the test fails before it waits for it, the page closes first.
  crashed.catch(() => {})
  const { startedAt } = (await (await fetch(`${home.url}/healthz`)).json()) as { readonly startedAt: string }
  const closed = await electronApp.evaluate((_electron, port) => {
    // Its sockets are closed from outside.
    const { _getActiveHandles } = process as unknown as { _getActiveHandles(): readonly object[] }
    const servers = _getActiveHandles.call(process).filter((handle) => {
      const address = 'address' in handle ? (handle as Server).address() : null
      return 'listening' in handle && typeof address === 'object' && address?.port === port
    }) as Server[]
    for (const server of servers) {
      server.close()
      server.closeAllConnections?.()
    }
    return servers.length
  }, home.port)
  expect(closed).toBeGreaterThan(0)
  expect(await crashed).toMatch(/^Runtime failed: .*It restarts/)
  await expect(runtime(page)).toHaveText('Runtime ready')
  const health = (await (await fetch(`${home.url}/healthz`)).json()) as { readonly startedAt: string }
  expect(health.startedAt).not.toBe(startedAt)
})

test('a runtime whose data directory is deleted is stopped with the reason, and starts only on request', async ({
  allow,
  home,
  page,
}) => {
  test.skip(process.platform === 'win32', 'Windows deletes no file that is open')
  allow(CUT_OFF)
  await expect(runtime(page)).toHaveText('Runtime ready')
  rmSync(home.dataDir, { recursive: true })
  const alert = page.getByRole('alert', { name: 'The runtime failed' })
  await expect(alert).toContainText(`The data directory ${home.dataDir} was deleted, moved or replaced`)
  await expect(alert).toContainText('The app does not try again by itself.')
  const failed = page.getByRole('main').getByRole('heading', { name: 'The runtime failed' })
  await expect(failed, 'above the screen, and in it').toHaveCount(2)
  await expect(page.getByRole('main')).not.toContainText('No Programs yet')
  await expect.poll(() => answers(home.url)).toBe(false)
  await press(page, 'Restart runtime')
  await expect(runtime(page)).toHaveText('Runtime ready')
})

test('data of a newer version are left as they are, with what to do, and the app does not try again', async ({
  home,
  launch,
}) => {
  mkdirSync(home.dataDir, { mode: 0o700, recursive: true })
  const file = join(home.dataDir, 'wes.sqlite')
  const database = new Database(file)
  database.pragma(`application_id = ${APPLICATION_ID}`)
  database.pragma('user_version = 9999')
  database.close()
  const before = readFileSync(file)
  const page = await (await launch()).page()
  await expect(runtime(page)).toHaveText('Runtime failed')
  const alert = page.getByRole('alert', { name: 'The runtime failed' })
  await expect(alert).toContainText('it was written by a newer version. Start that version, or choose another data')
  await expect(alert, 'the app has no setting for it').toContainText('with the environment variable WES_DATA_DIR.')
  await expect(alert).toContainText('The app does not try again by itself.')
  expect(readFileSync(file)).toEqual(before)
})

test.describe('beside another process', () => {
  test('attaches to a runtime with the same data, shows its data, and leaves it running', async ({ home, launch }) => {
    const other = await startRuntimeProcess({ port: home.port })
    try {
      const app = await launch({ env: { WES_DATA_DIR: other.dataDir } })
      const page = await app.page()
      await expect(runtime(page)).toHaveText('Runtime attached')
      await expect(page.getByText(`started elsewhere (pid ${other.pid()})`)).toBeVisible()
      expect(await menuIsEnabled(app.electronApp, 'stop-runtime')).toBe(false)
      // Its project folder cannot be changed here, with a message.
      await page.getByRole('link', { name: 'Programs' }).click()
      await press(page, 'Choose a folder')
      await expect(page.getByText(`started by another program (process ${other.pid()})`).first()).toBeVisible()
      await app.quit()
      expect(await answers(home.url)).toBe(true)
    } finally {
      await other.dispose()
    }
  })

  test('opens the page of an attached runtime with a token in the browser, with a session', async ({
    context,
    home,
    launch,
  }) => {
    const other = await startRuntimeProcess({ port: home.port, token: 'a-token-of-this-run' })
    try {
      const app = await launch({ env: { WES_DATA_DIR: other.dataDir } })
      await expect(runtime(await app.page())).toHaveText('Runtime attached')
      await clickMenu(app.electronApp, 'open-in-browser')
      await expect.poll(() => openedOutside(app.electronApp)).toMatchObject([{ how: 'openExternal' }])
      const what = (await openedOutside(app.electronApp))[0]?.what ?? ''
      expect(what).toContain(`${home.url}/#code=`)
      const page = await context.newPage()
      await page.goto(what)
      await expect(page.getByRole('heading', { name: 'No Programs yet' })).toBeVisible()
    } finally {
      await other.dispose()
    }
  })

  test('starts its own runtime when the attached one ends', async ({ allow, home, launch }) => {
    allow(CUT_OFF)
    const other = await startRuntimeProcess({ port: home.port })
    try {
      const page = await (await launch({ env: { WES_DATA_DIR: other.dataDir } })).page()
      await expect(runtime(page)).toHaveText('Runtime attached')
      await other.kill()
      await expect(runtime(page)).toHaveText('Runtime ready')
      expect(await answers(home.url)).toBe(true)
    } finally {
      await other.dispose()
    }
  })

  test('names a runtime of other data on the port, and opens its page in the browser', async ({ home, launch }) => {
    const other = await startRuntimeProcess({ port: home.port })
    try {
      const app = await launch()
      const page = await app.page()
      await expect(runtime(page)).toHaveText('Port taken')
      await expect(page.getByText(`Another runtime uses port ${home.port}`).first()).toBeVisible()
      const notice = page.getByRole('alert', { name: `Port ${home.port} is taken` })
      await expect(notice).toContainText(
        `Another WES runtime uses it, with its data in ${other.dataDir} (version ${packageJson.version}, pid ${other.pid()}).`,
      )
      await expect(notice, 'of node').not.toContainText(process.execPath)
      await app.electronApp.evaluate(({ BrowserWindow }) =>
        BrowserWindow.getAllWindows()[0]!.webContents.emit('before-mouse-event', {}, { type: 'mouseDown' }),
      )
      await notice.getByRole('link', { name: 'Open its dashboard' }).click()
      await expect.poll(() => openedOutside(app.electronApp)).toMatchObject([{ what: `${home.url}/` }])
    } finally {
      await other.dispose()
    }
  })

  test('names another process on the port, asks it only who it is, and offers another port', async ({
    home,
    launch,
  }) => {
    const asked: string[] = []
    const foreign = createServer((request, response) => {
      asked.push(request.url ?? '')
      response.end('somebody else')
    }).listen(home.port, '127.0.0.1')
    await once(foreign, 'listening')
    try {
      const page = await (await launch()).page()
      await expect(runtime(page)).toHaveText('Port taken')
      const notice = page.getByRole('alert', { name: `Port ${home.port} is taken` })
      await expect(notice).toContainText(`(pid ${process.pid})`)
      const line = await notice.locator('code').textContent()
      expect(line).toMatch(/^SERVICE_RUNTIME_URL=http:\/\/localhost:\d+$/)
      await page.setViewportSize({ width: 390, height: 800 })
      expect(await notice.evaluate((it) => it.scrollWidth - it.clientWidth), 'a long path is wrapped').toBe(0)
      await notice.getByRole('button', { name: /^Use port \d+$/ }).click()
      await expect(page.getByText(`Runtime ready on port ${line!.split(':').at(-1)}`)).toBeInViewport({ ratio: 1 })
      await expect(runtime(page), 'where the rail is closed').toBeHidden()
      await page.setViewportSize({ width: 1280, height: 800 })
      await expect(runtime(page)).toHaveText('Runtime ready')
      expect(await answers(line!.replace('SERVICE_RUNTIME_URL=', ''))).toBe(true)
      expect(asked).toEqual(['/healthz'])
    } finally {
      foreign.closeAllConnections()
      foreign.close()
    }
  })

  test('starts by itself on the port once it is free', async ({ home, launch }) => {
    const code = `require('node:net').createServer().listen(${home.port}, '127.0.0.1', () => console.log('holds it'))`
    const foreign = spawn(process.execPath, ['-e', code], { stdio: ['ignore', 'pipe', 'inherit'] })
    await once(foreign.stdout, 'data')
    const page = await (await launch()).page()
    await expect(runtime(page)).toHaveText('Port taken')
    foreign.kill('SIGKILL')
    await once(foreign, 'exit')
    await expect(runtime(page)).toHaveText('Runtime ready')
    expect(await answers(home.url)).toBe(true)
  })
})

test('the app answers and can be quit while data of an older version is upgraded', async ({ home, launch }) => {
  const file = join(home.dataDir, 'wes.sqlite')
  mkdirSync(home.dataDir, { recursive: true })
  writeSlowToUpgrade(file)
  const launchUntilUpgrading = async () => {
    const app = await launch()
    const page = await app.page()
    await expect(runtime(page)).toHaveText('Upgrading data')
    await expect(page.getByRole('main')).toContainText('Your data is being upgraded')
    await expect(page.getByRole('main')).toContainText(/Step 3 of \d+/)
    return { app, page }
  }
  const first = await launchUntilUpgrading()
  expect((await trayLabels(first.app.electronApp)).slice(0, 2)).toEqual(['Upgrading your data…', 'Stop Runtime'])
  await takeScreenshot(first.page, 'desktop-upgrade')
  await press(first.page, 'Stop runtime')
  await expect(runtime(first.page)).toHaveText('Runtime stopped')
  await press(first.page, 'Start runtime')
  await expect(runtime(first.page)).toHaveText('Upgrading data')
  expect(await first.app.quit()).toBe(0)

  const second = await launchUntilUpgrading()
  await second.app.kill()
  expect(makeFastToUpgrade(file), 'as it was').toBe(1)
})
