// The window: its position, its restrictions, and crashes.

import { expect, test, untilReady } from './launch.ts'
import { answerDialog, clickTrayIcon, openedOutside } from './platform.ts'
import { HELLO } from './programs.ts'

test('a crashed page is reloaded at the same URL, and the runtime is not affected', async ({
  electronApp,
  home,
  page,
}) => {
  await untilReady(page)
  await page.getByRole('link', { name: 'Programs' }).click()
  await expect(page).toHaveURL(/\/programs/)
  const { startedAt } = (await (await fetch(`${home.url}/healthz`)).json()) as { readonly startedAt: string }
  // Playwright cannot use a crashed page, so the test asks main.
  const again = await electronApp.evaluate(async ({ BrowserWindow }) => {
    const { webContents } = BrowserWindow.getAllWindows()[0]!
    const loaded = new Promise<void>((resolve) => webContents.once('did-finish-load', () => resolve()))
    webContents.forcefullyCrashRenderer()
    await loaded
    return {
      url: webContents.getURL(),
      state: (await webContents.executeJavaScript('wesDesktop.runtime.state()')) as { readonly kind: string },
    }
  })
  expect(again.url).toMatch(/^app:\/\/dashboard\/(?:.*\/)?programs/)
  expect(again.state.kind).toBe('ready')
  const health = (await (await fetch(`${home.url}/healthz`)).json()) as { readonly startedAt: string }
  expect(health.startedAt).toBe(startedAt)
})

test('a page that keeps crashing is not reloaded for ever, but when the user opens it again', async ({
  electronApp,
  page,
  startAgain,
}) => {
  await expect(page.getByRole('main')).toBeVisible()
  await answerDialog(electronApp, 'showMessageBox', { response: 1 })
  const dialogs = await electronApp.evaluate(async ({ BrowserWindow }) => {
    const { webContents } = BrowserWindow.getAllWindows()[0]!
    for (let crash = 0; crash < 4; crash++) {
      const next = new Promise<void>((resolve) => {
        if (crash < 3) webContents.once('did-finish-load', () => resolve())
        else webContents.once('render-process-gone', () => resolve())
      })
      webContents.forcefullyCrashRenderer()
      await next
    }
    return desktopRecord.dialogs.map(({ message }) => message)
  })
  expect(dialogs).toEqual(['The dashboard keeps crashing.'])
  const kind = electronApp.evaluate(async ({ BrowserWindow }) => {
    const { webContents } = BrowserWindow.getAllWindows()[0]!
    await new Promise<void>((resolve) => webContents.once('did-finish-load', () => resolve()))
    const state = (await webContents.executeJavaScript('wesDesktop.runtime.state()')) as { readonly kind: string }
    return state.kind
  })
  expect(await startAgain()).toBe(0)
  expect(await kind).toBe('ready')
})

test('a page that does not respond is loaded again in a new process when the user asks for it', async ({
  electronApp,
  page,
}) => {
  await expect(page.getByRole('main')).toBeVisible()
  const asked = await electronApp.evaluate(({ BrowserWindow }) => {
    const [window] = BrowserWindow.getAllWindows()
    for (const event of ['unresponsive', 'unresponsive', 'responsive'] as const) window!.emit(event)
    return desktopRecord.dialogs.splice(0).map(({ isWithdrawn }) => ({ isWithdrawn }))
  })
  // Once, and not any longer once the page responds.
  expect(asked).toEqual([{ isWithdrawn: true }])
  await answerDialog(electronApp, 'showMessageBox', { response: 0 })
  const again = await electronApp.evaluate(async ({ BrowserWindow }) => {
    const [window] = BrowserWindow.getAllWindows()
    const { webContents } = window!
    const loaded = new Promise<void>((resolve) => webContents.once('did-finish-load', () => resolve()))
    await webContents.executeJavaScript('setTimeout(() => { for (;;); }), undefined')
    window!.emit('unresponsive')
    await loaded
    return {
      dialogs: desktopRecord.dialogs.map(({ message }) => message),
      state: (await webContents.executeJavaScript('wesDesktop.runtime.state()')) as { readonly kind: string },
    }
  })
  expect(again).toMatchObject({ dialogs: ['The dashboard does not respond.'], state: { kind: 'ready' } })
})

test('only web links leave the window, and they open in the browser', async ({ allow, electronApp, page }) => {
  allow(/Not allowed to load local resource: file|Running the JavaScript URL violates/)
  await expect(page.getByRole('main')).toBeVisible()
  const before = page.url()
  await page.evaluate(() => {
    location.href = 'https://example.com/away'
  })
  await page.evaluate(async () => {
    window.open('https://example.com/unasked')
    await wesDesktop.settings.get() // main has refused it by the time it answers
  })
  await electronApp.evaluate(({ BrowserWindow }) =>
    BrowserWindow.getAllWindows()[0]!.webContents.emit('before-mouse-event', {}, { type: 'mouseDown' }),
  )
  for (const url of [
    'https://example.com/docs',
    'file:///etc/passwd',
    'wes://executions/x',
    'javascript:alert(1)',
    'http://example.com/',
  ]) {
    await page.evaluate((address) => void window.open(address), url)
  }
  await expect
    .poll(() => openedOutside(electronApp))
    .toEqual([{ how: 'openExternal', what: 'https://example.com/docs' }])
  await expect.poll(() => electronApp.windows().length).toBe(1)
  expect(page.url()).toBe(before)
})

test('the page gets named functions, neither Node nor Electron, and nothing that Electron would choose for the user', async ({
  electronApp,
  page,
}) => {
  const found = await page.evaluate(() => ({
    globals: Object.getOwnPropertyNames(globalThis).filter((name) =>
      /^(require|process|Buffer|module|electron)$|ipc/i.test(name),
    ),
    isFrozen: Object.isFrozen(wesDesktop) && Object.isFrozen(wesDesktop.runtime),
  }))
  expect(found).toEqual({ globals: [], isFrozen: true })
  const chosen = await electronApp.evaluate(({ app, BrowserWindow }) => {
    const [window] = BrowserWindow.getAllWindows()
    const answers: unknown[] = []
    const event = { preventDefault: () => answers.push('prevented') }
    const choose = (...choice: readonly unknown[]): void => void answers.push(choice)
    app.emit('select-client-certificate', event, null, 'https://wes.example', [{ subjectName: 'Ada' }], choose)
    window!.webContents.emit('select-bluetooth-device', event, [{ deviceId: 'a', deviceName: 'A' }], choose)
    return answers
  })
  expect(chosen).toEqual(['prevented', [], 'prevented', ['']])
})

test('no session loads dictionaries from Google', async ({ electronApp, page }) => {
  test.skip(process.platform === 'darwin', 'macOS has its own')
  await expect(page.getByRole('main')).toBeVisible()
  const languages = await electronApp.evaluate(({ session }) =>
    [session.defaultSession, session.fromPartition('another')].map((one) => one.getSpellCheckerLanguages()),
  )
  expect(languages).toEqual([[], []])
})

test('the page’s requests to main are checked', async ({ page }) => {
  const refusals = await page.evaluate(async () => {
    const { runtime, projectFolders, settings } = wesDesktop as unknown as Record<
      string,
      Record<string, (...args: unknown[]) => Promise<unknown>>
    >
    const attempts = [
      () => runtime!['usePort']!(0),
      () => runtime!['usePort']!('3478'),
      () => projectFolders!['open']!('/no/such/folder'),
      () => settings!['change']!({ theme: 'pink' }),
      () => settings!['change']!({ isAdmin: true }),
    ]
    return Promise.all(
      attempts.map((attempt) => attempt().catch((error: unknown) => (error as { readonly code: string }).code)),
    )
  })
  expect(refusals).toHaveLength(5)
  for (const code of refusals) expect(code).toMatch(/^[a-z_]+$/)
})

test('its position is restored, unless it is outside all screens', async ({ launch }) => {
  const first = await launch()
  const window = await first.electronApp.browserWindow(await first.page())
  await window.evaluate((one) => one.setBounds({ x: 40, y: 30, width: 1010, height: 620 }))
  await first.quit()
  const second = await launch()
  const again = await second.electronApp.browserWindow(await second.page())
  expect(await again.evaluate((one) => one.getBounds())).toMatchObject({ x: 40, y: 30, width: 1010, height: 620 })
  // As after a screen was removed.
  await again.evaluate((one) => one.setBounds({ x: 9_000, y: 9_000, width: 1010, height: 620 }))
  await second.quit()
  const third = await launch()
  const moved = await third.electronApp.browserWindow(await third.page())
  const { x, y } = await moved.evaluate((one) => one.getBounds())
  const area = await third.electronApp.evaluate(({ screen }) => screen.getPrimaryDisplay().workArea)
  expect(x).toBeLessThan(area.x + area.width)
  expect(y).toBeLessThan(area.y + area.height)
})

test('closing it ends the app, and the page cannot prevent that', async ({ app, electronApp, page }) => {
  const staysOpen = await electronApp.evaluate(({ BrowserWindow }) => {
    let isPrevented = false
    const event = { preventDefault: () => void (isPrevented = true) }
    BrowserWindow.getAllWindows()[0]!.webContents.emit('will-prevent-unload', event)
    return !isPrevented
  })
  expect(staysOpen).toBe(false)
  const exited = new Promise<number | null>((resolve) => electronApp.process().once('exit', resolve))
  await (await electronApp.browserWindow(page)).evaluate((one) => one.close()).catch(() => {})
  expect(await exited).toBe(0)
  await app.quit()
})

test('closing it keeps the runtime if the app stays in the tray, which opens it again', async ({ home, launch }) => {
  home.storeSettings({ keepInTray: true })
  const { electronApp, page: openPage } = await launch()
  const page = await openPage()
  await untilReady(page)
  await (await electronApp.browserWindow(page)).evaluate((one) => one.close())
  await expect.poll(() => electronApp.windows().length).toBe(0)
  await home.client.deployProgram(HELLO)
  expect(await (await home.client.start('hello', { name: 'Ada' })).result()).toEqual({ greeting: 'Hello, Ada!' })
  const opened = electronApp.waitForEvent('window')
  await clickTrayIcon(electronApp)
  const again = await opened
  await expect(again.getByRole('main')).toBeVisible()
  await expect(again).toHaveURL(/\/executions$/)
  await clickTrayIcon(electronApp)
  await again.evaluate(() => wesDesktop.settings.get())
  await expect(again).toHaveURL(/\/executions$/)
})
