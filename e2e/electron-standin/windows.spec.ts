// An app's windows, and its end.

import type { ElectronApplication } from '@playwright/test'
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { expect, test } from './fixture.ts'

const outputOf = (app: ElectronApplication): (() => string) => {
  let output = ''
  app.process().stdout!.on('data', (text: Buffer) => (output += String(text)))
  return () => output
}

const exitOf = async (child: ChildProcess): Promise<number | null> => {
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
  return child.exitCode
}

test('a window is shown when its page is ready, with the requested size', async ({ electronApp, kept, page }) => {
  const window = await electronApp.browserWindow(page)
  await expect.poll(async () => (await kept()).events).toContainEqual({ name: 'ready-to-show' })
  await expect.poll(() => window.evaluate((one) => one.isVisible())).toBe(true)
  expect(await window.evaluate((one) => one.getBounds())).toMatchObject({ width: 900, height: 640 })
  expect(await window.evaluate((one, id) => one.webContents.id === id, 1)).toBe(true)
})

test('a page sees the size of its window', async ({ electronApp, engine, page }) => {
  const window = await electronApp.browserWindow(page)
  await window.evaluate((one) => one.setBounds({ width: 700, height: 500 }))
  // A real window has a frame and a menu bar.
  const height = engine === 'stand-in' ? 500 : expect.any(Number)
  const size = () => page.evaluate(() => ({ width: innerWidth, height: innerHeight }))
  await expect.poll(size).toEqual({ width: 700, height })
  await window.evaluate((one) => one.maximize())
  await expect.poll(async () => (await size()).width).toBeGreaterThan(1_000)
  await window.evaluate((one) => one.unmaximize())
  await expect.poll(size).toEqual({ width: 700, height })
})

test('hiding, minimizing, maximizing and restoring emit events', async ({ electronApp, page }) => {
  const window = await electronApp.browserWindow(page)
  const told = await window.evaluate((one) => {
    const names: string[] = []
    for (const name of ['show', 'hide', 'focus', 'blur', 'minimize', 'restore', 'maximize', 'unmaximize']) {
      one.on(name, () => names.push(name))
    }
    one.hide()
    names.push(`visible: ${one.isVisible()}`)
    one.show()
    one.minimize()
    names.push(`minimized: ${one.isMinimized()}`)
    one.restore()
    one.maximize()
    names.push(`maximized: ${one.isMaximized()}, normally ${one.getNormalBounds().width}`)
    one.unmaximize()
    return names
  })
  expect(told).toEqual([
    'blur',
    'hide',
    'visible: false',
    'show',
    'focus',
    'blur',
    'minimize',
    'minimized: true',
    'restore',
    'maximize',
    'maximized: true, normally 900',
    'unmaximize',
  ])
})

test('a maximized window is maximized again after it was minimized, and maximizing shows one', async ({
  electronApp,
  page,
}) => {
  const window = await electronApp.browserWindow(page)
  const states = () => window.evaluate((one) => [one.isVisible(), one.isMinimized(), one.isMaximized()])
  await window.evaluate((one) => one.hide())
  await window.evaluate((one) => one.maximize())
  await expect.poll(states).toEqual([true, false, true])
  await window.evaluate((one) => one.minimize())
  await expect.poll(async () => (await states()).slice(1)).toEqual([true, false])
  await window.evaluate((one) => one.restore())
  await expect.poll(states).toEqual([true, false, true])
})

test('the title of a window is that of its page, unless the app sets it', async ({ electronApp, page }) => {
  const window = await electronApp.browserWindow(page)
  const title = () => window.evaluate((one) => one.getTitle())
  await expect.poll(title).toBe('Fixture')
  await page.evaluate(() => (document.title = 'Changed'))
  await expect.poll(title).toBe('Changed')
  await window.evaluate((one) => one.on('page-title-updated', (event: Electron.Event) => event.preventDefault()))
  await page.evaluate(() => (document.title = 'Again'))
  await expect.poll(() => window.evaluate((one) => one.webContents.getTitle())).toBe('Again')
  expect(await title()).toBe('Changed')
})

test.describe('an app that quits', () => {
  test('emits events before, when its windows are closed, and at the end', async ({ electronApp, page }) => {
    const output = outputOf(electronApp)
    const window = await electronApp.browserWindow(page)
    await window.evaluate((one) => {
      one.on('close', () => console.log('close'))
      one.on('closed', () => console.log('closed'))
    })
    const process = electronApp.process()
    await electronApp.close()
    expect(output().trim().split('\n')).toEqual(['before-quit', 'close', 'closed', 'will-quit', 'quit'])
    expect(await exitOf(process)).toBe(0)
  })

  test('continues if a window prevents its closing', async ({ electronApp, page }) => {
    const output = outputOf(electronApp)
    const window = await electronApp.browserWindow(page)
    await window.evaluate((one) => one.once('close', (event: Electron.Event) => event.preventDefault()))
    await electronApp.evaluate(({ app }) => app.quit())
    await expect.poll(output).toContain('before-quit')
    expect(await window.evaluate((one) => one.isDestroyed())).toBe(false)
    expect(output()).not.toContain('will-quit')
  })

  test('may delay after will-quit, and then exits with its own code', async ({ electronApp }) => {
    await electronApp.evaluate(({ app }) => {
      app.once('will-quit', (event) => {
        event.preventDefault()
        setTimeout(() => app.exit(7), 100)
      })
      app.quit()
    })
    expect(await exitOf(electronApp.process())).toBe(7)
  })

  test('exits without events on request', async ({ electronApp, page }) => {
    const output = outputOf(electronApp)
    const window = await electronApp.browserWindow(page)
    await window.evaluate((one) => one.on('close', (event: Electron.Event) => event.preventDefault()))
    await electronApp.evaluate(({ app }) => app.exit(3))
    expect(await exitOf(electronApp.process())).toBe(3)
    expect(output()).not.toMatch(/before-quit|will-quit/)
  })

  test('quits with its last window, unless it has a listener for that', async ({ electronApp, page }) => {
    const window = await electronApp.browserWindow(page)
    await electronApp.evaluate(({ app }) => app.once('window-all-closed', () => console.log('all closed')))
    const output = outputOf(electronApp)
    await window.evaluate((one) => one.close())
    await expect.poll(output).toContain('all closed')
    // Without the listener, the next last window quits the app.
    await electronApp.evaluate(({ BrowserWindow }) => new BrowserWindow({ show: false }).close())
    expect(await exitOf(electronApp.process())).toBe(0)
  })

  test('also quits on a signal', async ({ electronApp, page }) => {
    expect(await page.title()).toBe('Fixture')
    const output = outputOf(electronApp)
    electronApp.process().kill('SIGTERM')
    expect(await exitOf(electronApp.process())).toBe(0)
    expect(output()).toContain('will-quit')
  })
})
