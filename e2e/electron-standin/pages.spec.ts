// What pages of an app can and cannot do.

import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Page } from '@playwright/test'
import { expect, test } from './fixture.ts'

/** The functions of the fixture's preload. */
type Bridge = {
  readonly platform: string
  readonly arguments: readonly string[]
  readonly denied: readonly string[]
  add(a: unknown, b: unknown): Promise<{ readonly sum: number }>
  unknown(): Promise<never>
  note(what: unknown): void
  upper(text: string): string
  throws(): never
  rejects(): Promise<never>
  twice(listener: (value: number) => number): number
}
declare global {
  var fixture: Bridge
  var pongs: number[]
  var stopPongs: () => void
}

test.describe('between a page and main', () => {
  test('values keep their types', async ({ page }) => {
    await page.getByRole('button', { name: 'Add' }).click()
    await expect(page.locator('#answer')).toHaveText('{"sum":5,"at":0,"bytes":[1,2,3],"sizes":"1"}')
  })

  test('an error of a handler has its name and message', async ({ page }) => {
    const message = await page.evaluate(() => fixture.add('x', 1).catch(String))
    expect(message).toBe("Error: Error invoking remote method 'add': TypeError: bad arguments")
    const unknown = await page.evaluate(() => fixture.unknown().catch(String))
    expect(unknown).toContain("No handler registered for 'nobody handles this'")
  })

  test('values that cannot be cloned are refused', async ({ page }) => {
    expect(await page.evaluate(() => fixture.add(1, () => 2).catch(String))).toMatch(/could not be cloned/)
  })

  test('a page sends, and main sends to listeners', async ({ electronApp, kept, page }) => {
    await page.evaluate(() => fixture.note({ deep: [1, { two: null }] }))
    await expect.poll(async () => (await kept()).sent).toEqual([{ deep: [1, { two: null }] }])
    const pong = () =>
      electronApp.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows()[0]!.webContents.send('pong', { n: 1 }))
    await pong()
    await expect.poll(() => page.evaluate(() => pongs)).toEqual([1])
    await page.evaluate(() => stopPongs())
    await pong()
    // A later request is answered later, so no message is pending.
    await page.evaluate(() => fixture.add(1, 1))
    expect(await page.evaluate(() => pongs)).toEqual([1])
  })
})

test.describe('the bridge', () => {
  test('returns synchronously, calls back, and is frozen', async ({ page }) => {
    expect(await page.evaluate(() => fixture.upper('abc'))).toBe('ABC')
    expect(await page.evaluate(() => fixture.twice((value) => value + 1))).toBe(3)
    const changed = await page.evaluate(() => {
      'use strict'
      try {
        ;(fixture as { upper: unknown }).upper = 1
        return 'changed'
      } catch (error) {
        return (error as Error).name
      }
    })
    expect(changed).toBe('TypeError')
    expect(await page.evaluate(() => Object.isFrozen(fixture))).toBe(true)
  })

  test('passes only the message of a thrown error, but the whole reason of a rejection', async ({ page }) => {
    const thrown = await page.evaluate(() => {
      try {
        return fixture.throws()
      } catch (error) {
        const { name, message, code } = error as Error & { readonly code?: number }
        return { name, message, code }
      }
    })
    expect(thrown).toEqual({ name: 'Error', message: 'too far', code: undefined })
    expect(await page.evaluate(() => fixture.rejects().catch((reason: unknown) => reason))).toEqual({
      code: 'refused',
      message: 'not today',
    })
  })

  test('a preload gets the platform and its arguments, but no Node', async ({ page }) => {
    expect(await page.evaluate(() => [fixture.platform, ...fixture.arguments])).toEqual([process.platform, '--fixture'])
    expect(await page.evaluate(() => fixture.denied)).toEqual([
      expect.stringContaining('module not found: node:fs'),
      expect.stringContaining('module not found: node:child_process'),
    ])
  })

  test('a page gets neither Node nor a channel to main', async ({ page }) => {
    const found = await page.evaluate(() =>
      Object.getOwnPropertyNames(globalThis).filter((name) =>
        /^(require|process|Buffer|module)$|standin|ipc/i.test(name),
      ),
    )
    expect(found).toEqual([])
  })
})

test.describe('app://', () => {
  test('has the headers and the policy of its handler', async ({ page }) => {
    expect(await page.evaluate(() => 'inlineRan' in globalThis)).toBe(false)
    expect(await page.evaluate(() => isSecureContext)).toBe(true)
  })

  test('passes bodies, and keeps its URL and origin', async ({ page }) => {
    const echo = (path: string, init: { readonly method?: string; readonly body?: string } = {}) =>
      page.evaluate(async ([url, options]) => (await fetch(url, options)).json() as Promise<unknown>, [
        path,
        init,
      ] as const)
    expect(await echo('/echo?a=1')).toMatchObject({ url: 'app://fixture/echo?a=1', method: 'GET', length: null })
    expect(await echo('/echo', { method: 'POST', body: 'x'.repeat(300_000) })).toMatchObject({
      method: 'POST',
      length: 300_000,
      origin: 'app://fixture',
    })
    expect(await echo('/echo', { method: 'POST' })).toMatchObject({ method: 'POST', length: null })
  })

  test('streams, and cancels the handler when the page stops reading', async ({ kept, page }) => {
    const last = await page.evaluate(
      () =>
        new Promise((heard) => {
          const events = new EventSource('/events')
          events.onmessage = ({ data }) => {
            if (data !== '3') return
            events.close()
            heard(data)
          }
        }),
    )
    expect(last).toBe('3')
    await expect.poll(async () => (await kept()).cancelled).toBe(1)
  })

  test('a handler that throws fails only its request', async ({ page }) => {
    expect(await page.evaluate(() => fetch('/fails').catch(String))).toMatch('TypeError')
    expect(await page.evaluate(async () => (await fetch('/echo')).status)).toBe(200)
  })

  test('a page may call a server on this machine', async ({ page }) => {
    const server = createServer((_request, response) => {
      response.writeHead(200, { 'access-control-allow-origin': '*' }).end('here')
    }).listen(0, '127.0.0.1')
    await new Promise((listening) => server.once('listening', listening))
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    expect(await page.evaluate(async (address) => (await fetch(address)).text(), url)).toBe('here')
    server.closeAllConnections()
    server.close()
  })
})

test.describe('navigation', () => {
  test('to another page: the app is asked, and refuses', async ({ electronApp, kept, page }) => {
    await page.locator('#away').click()
    await expect
      .poll(async () => (await kept()).events)
      .toContainEqual({ name: 'will-navigate', url: 'https://example.com/away' })
    expect(await page.title()).toBe('Fixture')
    expect(
      await electronApp.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows()[0]!.webContents.getURL()),
    ).toBe('app://fixture/')
  })

  test('within the app: the app is asked, and allows it', async ({ electronApp, kept, page }) => {
    await page.locator('#second').click()
    await expect(page).toHaveTitle('Second')
    expect((await kept()).events).toContainEqual({ name: 'will-navigate', url: 'app://fixture/second.html' })
    const told = () =>
      electronApp.evaluate(({ BrowserWindow }) => {
        const window = BrowserWindow.getAllWindows()[0]!
        return [window.webContents.getURL(), window.webContents.getTitle(), window.getTitle()]
      })
    await expect.poll(told).toEqual(['app://fixture/second.html', 'Second', 'Second'])
  })

  test('by the app itself is not asked about, and fails with a code', async ({ electronApp, kept, page }) => {
    await electronApp.evaluate(({ BrowserWindow }) =>
      BrowserWindow.getAllWindows()[0]!.loadURL('app://fixture/second.html'),
    )
    await expect(page).toHaveTitle('Second')
    expect((await kept()).events.filter(({ name }) => name === 'will-navigate')).toEqual([])
    const code = await electronApp.evaluate(({ BrowserWindow }) =>
      BrowserWindow.getAllWindows()[0]!
        .loadURL('http://127.0.0.1:1/')
        .catch((error: unknown) => (error as { readonly code: string }).code),
    )
    expect(code).toMatch(/^ERR_/)
  })

  for (const [how, open] of [
    ['window.open', (page) => page.evaluate(() => void window.open('https://example.com/opened'))],
    ['a link with a target', (page) => page.locator('#blank').click()],
    ['a click with Ctrl', (page) => page.locator('#second').click({ modifiers: ['ControlOrMeta'] })],
  ] as const satisfies readonly (readonly [string, (page: Page) => Promise<void>])[]) {
    test(`another window, by ${how}: the app is asked, and none stays`, async ({ electronApp, kept, page }) => {
      await open(page)
      await expect.poll(async () => (await kept()).openings).toHaveLength(1)
      await expect.poll(() => electronApp.windows().length).toBe(1)
      expect(await electronApp.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows().length)).toBe(1)
    })
  }
})

test('window.open returns null if it is refused', async ({ page }) => {
  expect(await page.evaluate(() => window.open('https://example.com/'))).toBeNull()
})

test('a crash of the renderer is reported, and the page can be reloaded', async ({ electronApp, kept, page }) => {
  expect(await page.title()).toBe('Fixture')
  await electronApp.evaluate(({ BrowserWindow }) =>
    BrowserWindow.getAllWindows()[0]!.webContents.forcefullyCrashRenderer(),
  )
  await expect.poll(async () => (await kept()).events.map(({ name }) => name)).toContain('render-process-gone')
  const again = await electronApp.evaluate(async ({ BrowserWindow }) => {
    const { webContents } = BrowserWindow.getAllWindows()[0]!
    const wasCrashed = webContents.isCrashed()
    const loaded = new Promise<void>((resolve) => webContents.once('did-finish-load', () => resolve()))
    webContents.reload()
    await loaded
    const sum: unknown = await webContents.executeJavaScript('fixture.add(20, 22).then(({ sum }) => sum)')
    return { wasCrashed, isCrashed: webContents.isCrashed(), sum }
  })
  expect(again).toEqual({ wasCrashed: true, isCrashed: false, sum: 42 })
})

test('permission handlers decide what a page may do', async ({ electronApp, page }) => {
  const states = () =>
    page.evaluate(async () => {
      const ask = async (name: string) => (await navigator.permissions.query({ name: name as PermissionName })).state
      return [await ask('notifications'), await ask('geolocation')]
    })
  await electronApp.evaluate(({ session }) => {
    session.defaultSession.setPermissionRequestHandler((_contents, permission, answer) =>
      answer(permission === 'geolocation'),
    )
    session.defaultSession.setPermissionCheckHandler((_contents, permission) => permission === 'geolocation')
  })
  await expect.poll(states).toEqual(['denied', 'granted'])
})

test('the theme of the app is the theme of its pages', async ({ electronApp, page }) => {
  const isDark = () => page.evaluate(() => matchMedia('(prefers-color-scheme: dark)').matches)
  for (const theme of ['dark', 'light'] as const) {
    const told = await electronApp.evaluate(async ({ nativeTheme }, source) => {
      const updated = new Promise((resolve) =>
        nativeTheme.once('updated', () => resolve(nativeTheme.shouldUseDarkColors)),
      )
      nativeTheme.themeSource = source
      return source === 'dark' ? updated : nativeTheme.shouldUseDarkColors
    }, theme)
    expect(told).toBe(theme === 'dark')
    await expect.poll(isDark).toBe(theme === 'dark')
  }
})
