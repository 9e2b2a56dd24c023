// The page's requests to main, with real files, dialogs and system calls.

import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { openDatabase } from '#runtime/store/database.ts'
import { typeOverAll } from '../dashboard/dialogs.test-support.ts'
import { CUT_OFF, expect, test, untilReady } from './launch.ts'
import { answerDialog, clickMenu, openedOutside, shownDialogs } from './platform.ts'
import { HELLO } from './programs.ts'

const PROGRAM =
  "import { defineProgram } from 'workflow-execution-service'\nexport default defineProgram({ id: 'greet' }, async () => 'hello')\n"

test('about shows the app’s versions and data folder', async ({ home, page }) => {
  const about = await page.evaluate(() => wesDesktop.about())
  expect(about).toMatchObject({
    version: '0.1.0',
    electron: expect.stringMatching(/^45\./),
    chromium: expect.stringMatching(/^\d+\./),
    dataDirectory: home.dataDir,
    logsFolder: join(home.userData, 'logs'),
  })
  expect(about.effectsRunOn).toMatch(/Node/)
})

test('the page names the app’s version, also with a runtime of another one', async ({ electronApp, page }) => {
  await untilReady(page)
  const status = await page.evaluate(async () => (await fetch('/local/v1/runtime')).json() as Promise<object>)
  await page.route('**/local/v1/runtime', (route) => route.fulfill({ json: { ...status, version: '0.1.9' } }))
  await clickMenu(electronApp, 'settings')
  await expect(page.getByRole('region', { name: 'Runtime', exact: true })).toContainText('0.1.9')
  await expect(page.getByRole('region', { name: 'About' })).toContainText('Workflow Execution Service 0.1.0')
})

test('errors of the page are in the log', async ({ allow, home, page }) => {
  allow(/^page error: .*(the page lost count|nobody caught this)/)
  const log = () => readFileSync(join(home.userData, 'logs/wes.log'), 'utf8')
  await page.evaluate(() => {
    setTimeout(() => {
      throw new RangeError('the page lost count')
    })
    void Promise.reject(new Error('nobody caught this'))
  })
  await expect.poll(log).toContain('RangeError: the page lost count')
  await expect.poll(log).toContain('nobody caught this')
})

test('settings are kept', async ({ launch }) => {
  const first = await launch()
  const page = await first.page()
  const changed = await page.evaluate(() => wesDesktop.settings.change({ keepInTray: true, theme: 'light' }))
  expect(changed).toMatchObject({ keepInTray: true, theme: 'light' })
  await first.quit()
  const again = await (await launch()).page()
  expect(await again.evaluate(() => wesDesktop.settings.get())).toMatchObject({ keepInTray: true, theme: 'light' })
})

test('without a place for its log and with damaged files, the app starts, runs, and says what it could not read, and what is lost', async ({
  home,
  launch,
}) => {
  const { dataDir, userData } = home
  // As a killed runtime leaves it, but for the database's log.
  mkdirSync(dataDir, { recursive: true })
  writeFileSync(join(dataDir, 'runtime.json'), '{}')
  openDatabase({ file: join(dataDir, 'wes.sqlite'), now: Date.now }).close()
  writeFileSync(join(userData, 'logs'), 'not a folder')
  for (const name of ['settings.json', 'connections.json']) writeFileSync(join(userData, name), '{"theme":"dark"')
  const { electronApp, page } = await launch()
  await untilReady(await page())
  const dialogs = () => shownDialogs(electronApp)
  await expect.poll(async () => (await dialogs()).length).toBe(2)
  const [said, lost] = await dialogs()
  expect(said?.message.split('\n\n')).toEqual([
    expect.stringContaining(`The settings in ${userData}`),
    expect.stringContaining(`The saved connections in ${userData}`),
  ])
  expect(lost?.message).toMatch(/-wal is missing, .* may be lost\. The runtime goes on with what is left\.$/)
  expect([said?.isInWindow, lost?.isInWindow]).toEqual([true, true])
  expect(readFileSync(join(userData, 'settings.json.unreadable'), 'utf8')).toBe('{"theme":"dark"')
})

test('start at login is an autostart entry while it is on, and off once the system has removed it', async ({
  electronApp,
  home,
  page,
}) => {
  test.skip(process.platform !== 'linux', 'other platforms have no autostart file')
  const entry = join(home.configFolder, 'autostart/workflow-execution-service.desktop')
  await page.evaluate(() => wesDesktop.settings.change({ startAtLogin: true }))
  expect(readFileSync(entry, 'utf8')).toContain('[Desktop Entry]')
  await clickMenu(electronApp, 'settings')
  const shown = page.getByRole('switch', { name: 'Start at login' })
  await expect(shown).toBeChecked()
  rmSync(entry)
  await electronApp.evaluate(({ app, BrowserWindow }) =>
    app.emit('browser-window-focus', {}, BrowserWindow.getAllWindows()[0]),
  )
  await expect(shown).not.toBeChecked()
  await page.evaluate(() => wesDesktop.settings.change({ startAtLogin: true }))
  await page.evaluate(() => wesDesktop.settings.change({ startAtLogin: false }))
  expect(existsSync(entry)).toBe(false)
})

test('started minimised, the app is in the tray or in the task bar', async ({ home, launch }) => {
  home.storeSettings({ startMinimised: true, keepInTray: true })
  const inTray = await launch()
  await expect.poll(() => inTray.electronApp.evaluate(() => desktopRecord.trayMenu !== null)).toBe(true)
  expect(inTray.electronApp.windows()).toHaveLength(0)
  await expect
    .poll(() =>
      home.client.listProjects().then(
        ({ items }) => items.length,
        () => 0,
      ),
    )
    .toBe(1)
  await inTray.quit()
  home.storeSettings({ startMinimised: true })
  const inTaskBar = await launch()
  const window = await inTaskBar.electronApp.browserWindow(await inTaskBar.page())
  expect(await window.evaluate((one) => one.isMinimized())).toBe(true)
})

test('a maximized window stays maximized, also if it is opened and closed minimized', async ({ home, launch }) => {
  const place = join(home.userData, 'window.json')
  const bounds = { x: 40, y: 30, width: 1010, height: 620 }
  writeFileSync(place, JSON.stringify({ bounds, maximized: true }))
  home.storeSettings({ startMinimised: true })
  for (let start = 1; start <= 2; start += 1) {
    const app = await launch()
    const window = await app.electronApp.browserWindow(await app.page())
    const states = () => window.evaluate((one) => [one.isMinimized(), one.isMaximized()])
    await expect.poll(states).toEqual([true, false])
    // Window managers do so when they come to it.
    await window.evaluate((one) => one.restore())
    await expect.poll(states).toEqual([false, true])
    await window.evaluate((one) => one.minimize())
    await expect.poll(async () => (await states())[0]).toBe(true)
    await app.quit()
    expect(JSON.parse(readFileSync(place, 'utf8'))).toEqual({ bounds, maximized: true })
  }
})

test('a maximized window is shown with its page, not before', async ({ home, launch }) => {
  writeFileSync(
    join(home.userData, 'window.json'),
    JSON.stringify({ bounds: { x: 40, y: 30, width: 1010, height: 620 }, maximized: true }),
  )
  home.storeSettings({ startMinimised: true, keepInTray: true })
  const { electronApp } = await launch()
  await expect.poll(() => electronApp.evaluate(() => desktopRecord.trayMenu !== null)).toBe(true)
  const isVisibleAtOnce = await electronApp.evaluate(
    ({ app }) =>
      new Promise<boolean>((resolve) => {
        app.once('browser-window-created', (_event, window) => setImmediate(() => resolve(window.isVisible())))
        desktopRecord.trayMenu?.getMenuItemById('tray-open')?.click()
      }),
  )
  expect(isVisibleAtOnce).toBe(false)
  const states = () =>
    electronApp.evaluate(({ BrowserWindow }) =>
      BrowserWindow.getAllWindows().map((one) => [one.isVisible(), one.isFocused(), one.isMaximized()]),
    )
  await expect.poll(states).toEqual([[true, true, true]])
})

test('Settings backs up the data, and deletes Executions or everything after a typed confirmation', async ({
  allow,
  electronApp,
  home,
  page,
}) => {
  allow(CUT_OFF)
  await untilReady(page)
  const { client } = home
  await client.deployProgram(HELLO)
  await (await client.start('hello', { name: 'Ada' })).result()
  await answerDialog(electronApp, 'showSaveDialog', { canceled: true, filePath: '' })
  expect(await page.evaluate(() => wesDesktop.data.backUp())).toBeNull()
  await answerDialog(electronApp, 'showMessageBox', { response: 1 })
  expect(await page.evaluate(() => wesDesktop.data.reset('executions'))).toBe(false)
  expect((await client.listExecutions()).items).toHaveLength(1)

  await page.getByRole('link', { name: 'Settings' }).click()
  const target = join(home.folder, 'backup.sqlite')
  await answerDialog(electronApp, 'showSaveDialog', { canceled: false, filePath: target })
  await page.getByRole('button', { name: 'Back up' }).click()
  await expect(page.getByText('Backed up', { exact: true }).first()).toBeVisible()
  expect(readFileSync(target).subarray(0, 15).toString()).toBe('SQLite format 3')
  expect(statSync(target).size).toBeGreaterThan(10_000)
  // From the menu, a dialog says so.
  await answerDialog(electronApp, 'showSaveDialog', { canceled: false, filePath: target })
  await clickMenu(electronApp, 'back-up-data')
  const told = { message: 'Your data was backed up', detail: target }
  await expect.poll(async () => (await shownDialogs(electronApp)).at(-1)).toMatchObject(told)

  await page.getByRole('button', { name: 'Reset…', exact: true }).click()
  await page.getByRole('menuitem', { name: 'Executions only…' }).click()
  const executions = page.getByRole('dialog', { name: 'Delete all Executions' })
  await expect(executions.getByRole('button', { name: 'Delete all Executions' })).toBeDisabled()
  await answerDialog(electronApp, 'showMessageBox', { response: 0 })
  await executions.getByRole('textbox').fill('delete executions')
  await executions.getByRole('button', { name: 'Delete all Executions' }).click()
  await expect(page.getByText('All Executions were deleted', { exact: true }).first()).toBeVisible()
  expect((await client.listExecutions()).items).toEqual([])
  expect((await client.listPrograms()).items.map(({ id }) => id)).toEqual(['hello'])

  await page.getByRole('button', { name: 'Reset…', exact: true }).click()
  await page.getByRole('menuitem', { name: 'Everything…' }).click()
  const everything = page.getByRole('dialog', { name: 'Reset everything' })
  await answerDialog(electronApp, 'showMessageBox', { response: 0 })
  await everything.getByRole('textbox').fill('delete everything')
  await everything.getByRole('button', { name: 'Delete everything' }).click()
  await expect(page.getByText('Everything was deleted', { exact: true }).first()).toBeVisible()
  // The connection from before the restart may close only now.
  await expect.poll(async () => (await client.listPrograms().catch(() => undefined))?.items).toEqual([])
  await untilReady(page)
})

test('an Execution is started with a key in any script', async ({ allow, electronApp, home, page }) => {
  allow(CUT_OFF)
  await untilReady(page)
  await home.client.deployProgram(HELLO)
  await clickMenu(electronApp, 'start-execution')
  const dialog = page.getByRole('dialog', { name: 'Start execution' })
  await expect(dialog.getByRole('combobox', { name: 'Program' })).toHaveValue('hello')
  await typeOverAll(page, dialog.getByLabel('Input'), '{"name":"Ada"}')
  await dialog.getByRole('button', { name: 'More' }).click()
  await dialog.getByLabel('Idempotency-Key').fill('Grüße 漢')
  await dialog.getByRole('button', { name: 'Start execution' }).click()
  await expect(page).toHaveURL(/\/executions\/exe_/)
  const { id } = await home.client.start('hello', { name: 'Ada' }, { idempotencyKey: 'Grüße 漢' })
  expect((await home.client.listExecutions()).items).toMatchObject([{ id }])
})

test('only source files are opened in the editor', async ({ home, launch }) => {
  const folder = home.writeProject('programs/greet.ts', PROGRAM)
  home.trust(folder)
  home.storeSettings({ projectFolders: { current: folder, recent: [folder] } })
  const seen = join(home.folder, 'seen')
  const bin = join(home.folder, 'bin')
  mkdirSync(bin)
  writeFileSync(join(bin, 'code'), `#!/bin/sh\nprintf '%s\\n' "$@" > '${seen}'\n`)
  chmodSync(join(bin, 'code'), 0o755)
  const app = await launch({ env: { PATH: `${bin}:${process.env['PATH']}`, VISUAL: '', EDITOR: '' } })
  const page = await app.page()
  await untilReady(page)
  await page.evaluate(() => wesDesktop.openInEditor({ path: 'programs/greet.ts', line: 2, column: 5 }))
  await expect
    .poll(() => existsSync(seen) && readFileSync(seen, 'utf8'))
    .toBe(`--goto\n${folder}/programs/greet.ts:2:5\n`)
  const refused = await page.evaluate(() =>
    Promise.all(
      ['/etc/passwd', '../user-data/settings.json', 'programs/none.ts'].map((path) =>
        wesDesktop
          .openInEditor({ path, line: 1, column: 1 })
          .then(() => 'opened')
          .catch((error: unknown) => (error as { readonly code: string }).code),
      ),
    ),
  )
  expect(refused).toEqual(['not_in_project', 'not_in_project', 'not_in_project'])
  expect(await openedOutside(app.electronApp)).toEqual([])
})

test('a refusal has a code and a message for the page', async ({ allow, home, page }) => {
  allow(CUT_OFF)
  await untilReady(page)
  const refusal = await page.evaluate(() =>
    wesDesktop.projectFolders.open('/no/such/folder').catch((error: unknown) => error),
  )
  expect(refusal).toEqual({ code: expect.stringMatching(/^[a-z_]+$/), message: expect.any(String) })
  await page.evaluate(() => wesDesktop.runtime.stop())
  await expect(home.client.listProjects()).rejects.toMatchObject({ code: 'network_error' })
  expect(await page.evaluate(async () => (await fetch('/local/healthz')).status)).toBe(503)
})

test('diagnostics contain no private data, and are copied only on request', async ({ electronApp, page }) => {
  const copied = () => electronApp.evaluate(({ clipboard }) => clipboard.readText())
  await electronApp.evaluate(({ clipboard }) => clipboard.writeText('mine'))
  const text = await page.evaluate(() => wesDesktop.diagnostics())
  expect(text).toContain('electron')
  expect(text).not.toContain(process.env['HOME'] ?? 'no home')
  expect(await copied()).toBe('mine')
  await clickMenu(electronApp, 'copy-diagnostics')
  await expect.poll(copied).toContain('electron')
})
