// The actions of menus and tray.

import { renameSync } from 'node:fs'
import { join } from 'node:path'
import type { Locator } from '@playwright/test'
import { readRuntimeInfo } from '../../src-runtime/data-directory/data-directory.ts'
import { CUT_OFF, expect, test, untilReady } from './launch.ts'
import { answerDialog, clickMenu, clickTray, openedOutside, shownDialogs, trayLabels } from './platform.ts'
import { FAILS } from './programs.ts'

test('each page has its menu item, and each command', async ({ electronApp, page }) => {
  for (const [id, path] of [
    ['go-programs', '/programs'],
    ['go-waiting', '/waiting'],
    ['go-errors', '/errors'],
    ['go-metrics', '/metrics'],
    ['settings', '/settings'],
    ['go-executions', '/executions'],
  ] as const) {
    await clickMenu(electronApp, id)
    await expect(page).toHaveURL(new RegExp(`${path}(\\?|$)`))
  }
  if (process.platform !== 'darwin') {
    await clickMenu(electronApp, 'about')
    const about = page.getByRole('region', { name: 'About' })
    await expect(page.getByRole('region', { name: 'Desktop app' })).toBeAttached()
    await expect(about.getByText(/^Workflow Execution Service \d/)).toBeInViewport()
    await expect(about).toContainText('Electron')
  }
  for (const [id, dialog] of [
    ['new-project', page.getByRole('dialog', { name: 'New project' })],
    ['start-execution', page.getByRole('dialog', { name: 'Start execution' })],
    ['shortcuts', page.getByRole('dialog', { name: /shortcuts/i })],
    ['command-palette', page.getByRole('dialog', { name: /palette|search/i })],
  ] as const) {
    await clickMenu(electronApp, id)
    await expect(dialog).toBeVisible()
    await page.keyboard.press('Escape')
    await expect(dialog).toBeHidden()
  }
})

test('text on the screen is found, marked, and scrolled to', async ({ electronApp, page }) => {
  await page.getByRole('link', { name: 'Settings' }).click()
  await expect(page.getByRole('heading', { level: 1, name: 'Settings' })).toBeVisible()
  const marked = () => page.evaluate(() => [...(CSS.highlights.get('found-current') ?? [])].map(String))
  await page.getByRole('button', { name: 'Add connection' }).focus()
  await clickMenu(electronApp, 'find')
  const bar = page.getByRole('search', { name: 'Find in page' })
  const field = bar.getByRole('textbox')
  await expect(field).toBeFocused()
  // It is in the text of a section below the window.
  await field.fill('EFFECTS  RUN ON')
  await expect(bar.getByRole('status')).toHaveText('1 of 1')
  expect(await marked()).toEqual(['effects run on'])
  await expect(page.getByText('effects run on')).toBeInViewport()
  await field.fill('workflow execution')
  await expect(bar.getByRole('status')).toHaveText(/^1 of [1-9]/)
  await field.fill('theme')
  await page.keyboard.press('Enter')
  await expect(bar.getByRole('status')).toHaveText(/^\d of \d$/)
  await field.fill('no such text')
  await expect(bar.getByRole('status')).toHaveText('No matches')
  expect(await marked()).toEqual([])
  // Not all of very many are marked.
  await page.evaluate(() => document.querySelector('main')!.append('very many '.repeat(2_000)))
  await field.fill('very many')
  await expect(bar.getByRole('status')).toHaveText('1 of 1000+')
  // What is drawn later is found as well.
  await field.fill('needs attention')
  await expect(bar.getByRole('status')).toHaveText('No matches')
  await clickMenu(electronApp, 'go-executions')
  await expect(bar.getByRole('status')).toHaveText('1 of 1')
  await page.keyboard.press('Escape')
  await expect(page.getByRole('main'), 'what had the focus is gone').toBeFocused()
  await page.getByRole('link', { name: 'Executions' }).focus()
  await clickMenu(electronApp, 'find')
  await field.fill('skip to the content')
  await expect(bar.getByRole('status'), 'is not in the window').toHaveText('No matches')
  await bar.getByRole('button', { name: 'Next match' }).focus()
  await page.keyboard.press('Enter')
  await page.keyboard.press('Escape')
  await expect(bar).toBeHidden()
  await expect(page.getByRole('link', { name: 'Executions' })).toBeFocused()
  expect(await marked()).toEqual([])
})

test('Back and Forward lead through the screens that were shown', async ({ electronApp, page }) => {
  await clickMenu(electronApp, 'go-programs')
  await expect(page).toHaveURL(/\/programs$/)
  await clickMenu(electronApp, 'go-waiting')
  await expect(page).toHaveURL(/\/waiting$/)
  await clickMenu(electronApp, 'back')
  await expect(page.getByRole('heading', { level: 1, name: 'Programs' })).toBeVisible()
  await clickMenu(electronApp, 'forward')
  await expect(page.getByRole('heading', { level: 1, name: 'Waiting' })).toBeVisible()
})

test('the buttons of a mouse and the keys of a keyboard lead through the screens, one at a time', async ({
  electronApp,
  page,
}) => {
  for (const name of ['Waiting', 'Programs']) {
    await page.getByRole('link', { name }).click()
    await expect(page.getByRole('heading', { level: 1, name })).toBeVisible()
  }
  const command = (name: string) =>
    electronApp.evaluate(
      ({ BrowserWindow }, what) => BrowserWindow.getAllWindows()[0]!.emit('app-command', {}, what),
      name,
    )
  const devTools = await page.context().newCDPSession(page)
  // As Electron does when the button is pressed; Chromium goes back when it is released.
  if (process.platform === 'linux') await command('browser-backward')
  for (const type of ['mousePressed', 'mouseReleased'] as const) {
    await devTools.send('Input.dispatchMouseEvent', { type, button: 'back', x: 500, y: 300, clickCount: 1 })
  }
  await expect(page.getByRole('heading', { level: 1, name: 'Waiting' })).toBeVisible()
  await clickMenu(electronApp, 'forward')
  await expect(page.getByRole('heading', { level: 1, name: 'Programs' })).toBeVisible()
  if (process.platform !== 'win32') return
  await command('browser-backward')
  await expect(page.getByRole('heading', { level: 1, name: 'Waiting' })).toBeVisible()
  await command('browser-forward')
  await expect(page.getByRole('heading', { level: 1, name: 'Programs' })).toBeVisible()
})

test('a right click on text opens a menu that edits or copies it', async ({ electronApp, page }) => {
  await expect(page.getByRole('main')).toBeVisible()
  const popups = await electronApp.evaluate(({ BrowserWindow }) => {
    const { webContents } = BrowserWindow.getAllWindows()[0]!
    const editFlags = { canCut: true, canCopy: true, canPaste: true, canSelectAll: true }
    const where = { x: 10, y: 20, menuSourceType: 'mouse', editFlags }
    webContents.emit('context-menu', {}, { ...where, isEditable: true, selectionText: '' })
    webContents.emit('context-menu', {}, { ...where, isEditable: false, selectionText: 'some text' })
    webContents.emit('context-menu', {}, { ...where, isEditable: false, selectionText: '' })
    return desktopRecord.popups.map(({ items }) => items.map(({ role, type }) => (type === 'separator' ? type : role)))
  })
  expect(popups.map((items) => items.map((item) => item?.toLowerCase()))).toEqual([
    ['cut', 'copy', 'paste', 'separator', 'selectall'],
    ['copy'],
  ])
})

test('no command of the menu opens a dialog over another one', async ({ electronApp, page }) => {
  const palette = page.getByRole('dialog', { name: /palette/i })
  /** Waits until the page has handled all earlier messages. */
  const settled = async (theme: 'dark' | 'light') => {
    await clickMenu(electronApp, `theme-${theme}`)
    await expect(page.locator('html')).toHaveCSS('color-scheme', theme)
  }
  const expectKept = async (dialog: Locator) => {
    for (const id of ['command-palette', 'start-execution', 'shortcuts', 'connect-to-hosted']) {
      await clickMenu(electronApp, id)
    }
    await settled('dark')
    await expect(page.getByRole('dialog')).toHaveCount(1)
    await expect(dialog).toBeVisible()
    await settled('light')
  }
  await clickMenu(electronApp, 'new-project')
  const newProject = page.getByRole('dialog', { name: 'New project' })
  await newProject.getByRole('textbox').fill('typed')
  await expectKept(newProject)
  await expect(newProject.getByRole('textbox')).toHaveValue('typed')
  // Escape does not close what was typed in.
  await newProject.getByRole('button', { name: 'Close' }).first().click()
  await expect(newProject).toBeHidden()

  // One that belongs to its screen.
  await clickMenu(electronApp, 'go-executions')
  await page.getByRole('combobox', { name: 'Started' }).click()
  await page.getByRole('option', { name: 'Custom range' }).click()
  const range = page.getByRole('dialog')
  await expect(range).toBeVisible()
  await expectKept(range)
  await page.keyboard.press('Escape')
  await expect(range).toBeHidden()

  // Nothing is typed into these, so that another command replaces them.
  await clickMenu(electronApp, 'shortcuts')
  await expect(page.getByRole('dialog', { name: /shortcuts/i })).toBeVisible()
  await clickMenu(electronApp, 'command-palette')
  await expect(palette).toBeVisible()
  await clickMenu(electronApp, 'start-execution')
  await expect(page.getByRole('dialog', { name: 'Start execution' })).toBeVisible()
  await expect(palette).toBeHidden()
})

test('no accelerator is used twice', async ({ electronApp, page }) => {
  await expect(page.getByRole('main')).toBeVisible()
  const accelerators = await electronApp.evaluate(({ Menu }) => {
    const all = (menu: Electron.Menu): readonly Electron.MenuItem[] =>
      menu.items.flatMap((item) => [item, ...(item.submenu ? all(item.submenu) : [])])
    return all(Menu.getApplicationMenu()!).flatMap(({ accelerator }) => accelerator ?? [])
  })
  expect(accelerators).toContain('CmdOrCtrl+N')
  expect(new Set(accelerators).size).toBe(accelerators.length)
})

test('the theme of the menu applies to the page, also after a restart', async ({ launch }) => {
  const first = await launch()
  const page = await first.page()
  await clickMenu(first.electronApp, 'theme-dark')
  await expect.poll(() => page.evaluate(() => matchMedia('(prefers-color-scheme: dark)').matches)).toBe(true)
  await first.quit()
  const again = await launch()
  const pageAgain = await again.page()
  expect(await pageAgain.evaluate(() => matchMedia('(prefers-color-scheme: dark)').matches)).toBe(true)
  const isChecked = await again.electronApp.evaluate(
    ({ Menu }) => Menu.getApplicationMenu()!.getMenuItemById('theme-dark')!.checked,
  )
  expect(isChecked).toBe(true)
})

test('the system shows folders and opens links', async ({ electronApp, home, page }) => {
  await untilReady(page)
  await clickMenu(electronApp, 'reveal-data')
  await clickMenu(electronApp, 'reveal-logs')
  await clickMenu(electronApp, 'open-in-browser')
  await expect
    .poll(() => openedOutside(electronApp))
    .toEqual([
      { how: 'openPath', what: home.dataDir },
      { how: 'openPath', what: join(home.userData, 'logs') },
      { how: 'openExternal', what: `${home.url}/` },
    ])
})

test('a project is selected in a dialog, runs, and is remembered', async ({ allow, electronApp, home, page }) => {
  allow(CUT_OFF)
  const folder = home.writeProject(
    'programs/greet.ts',
    "import { defineProgram } from 'workflow-execution-service'\n" +
      "export default defineProgram({ id: 'greet' }, async () => 'hello')\n",
  )
  await untilReady(page)
  await answerDialog(electronApp, 'showOpenDialog', { canceled: true, filePaths: [] })
  await clickMenu(electronApp, 'choose-project')
  await expect.poll(async () => (await shownDialogs(electronApp)).length).toBe(1)
  await answerDialog(electronApp, 'showOpenDialog', { canceled: false, filePaths: [folder] })
  await answerDialog(electronApp, 'showMessageBox', { response: 0 })
  await clickMenu(electronApp, 'choose-project')
  await expect
    .poll(async () => (await home.client.listPrograms().catch(() => ({ items: [] }))).items.map(({ id }) => id))
    .toEqual(['greet'])
  expect(await (await home.client.start('greet')).result()).toBe('hello')
  const recent = () =>
    electronApp.evaluate(({ Menu }) => {
      const item = Menu.getApplicationMenu()!.getMenuItemById('recent-project-1')
      return item && { label: item.label, checked: item.checked }
    })
  await expect.poll(recent).toEqual({ label: folder, checked: true })

  await clickMenu(electronApp, 'go-programs')
  const main = page.getByRole('main')
  await expect(main).toContainText(`Watching ${folder}`)
  renameSync(folder, `${folder} moved`)
  await expect(main).toContainText(`Does not exist: ${folder}`)
  renameSync(`${folder} moved`, folder)
  await expect(main).toContainText(`Watching ${folder}`)
})

test('the tray lists the last failures, and opens them; the menu, which may be open, stays as it is', async ({
  electronApp,
  home,
  page,
}) => {
  await untilReady(page)
  await expect.poll(() => trayLabels(electronApp)).toContain(`Runtime ready on port ${home.port}`)
  const menu = await electronApp.evaluateHandle(({ Menu }) => Menu.getApplicationMenu())
  await home.client.deployProgram(FAILS)
  const { id } = await home.client.start('fails')
  await expect.poll(() => trayLabels(electronApp)).toContain('Last failures')
  expect(await electronApp.evaluate(({ Menu }, before) => Menu.getApplicationMenu() === before, menu)).toBe(true)
  await clickTray(electronApp, 'tray-failure-1')
  await expect(page).toHaveURL(new RegExp(`/executions/${id}`))
  await expect(page.getByRole('main')).toContainText('no money')
})

test('the tray stops and starts the runtime, and quits; what it opens meanwhile starts the app again', async ({
  allow,
  app,
  electronApp,
  home,
  page,
}) => {
  allow(CUT_OFF)
  const runtime = page.getByRole('status', { name: 'Runtime', exact: true })
  await expect(runtime).toHaveText('Runtime ready')
  await clickTray(electronApp, 'tray-stop')
  await expect(runtime).toHaveText('Runtime stopped')
  await clickTray(electronApp, 'tray-start')
  await expect(runtime).toHaveText('Runtime ready')
  const exited = new Promise<number | null>((resolve) => electronApp.process().once('exit', resolve))
  const { pid } = electronApp.process()
  await electronApp.evaluate(() => {
    for (const id of ['tray-quit', 'tray-open']) desktopRecord.trayMenu?.getMenuItemById(id)?.click()
  })
  expect(await exited).toBe(0)
  await app.quit()
  const owner = () => readRuntimeInfo(home.dataDir)?.pid ?? pid
  await expect.poll(owner).not.toBe(pid)
  process.kill(owner()!)
})
