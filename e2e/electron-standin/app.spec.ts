// How an app starts, that it runs once, and that it leaves no processes.

import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createRequire } from 'node:module'
import { basename, join } from 'node:path'
import { processesMarked } from '../leftovers.ts'
import { expect, FIXTURE_APP, test } from './fixture.ts'

/** The path of the binary, found like Playwright does. */
const electron = (): string => createRequire(import.meta.url)('electron') as string

const run = (args: readonly string[], env: Readonly<Record<string, string>>): ChildProcess =>
  spawn(electron(), ['--no-sandbox', ...args], { env, stdio: ['ignore', 'pipe', 'pipe'] })

const ended = async (child: ChildProcess): Promise<{ readonly code: number | null; readonly stderr: string }> => {
  let stderr = ''
  child.stderr!.on('data', (text: Buffer) => (stderr += String(text)))
  await once(child, 'close')
  return { code: child.exitCode, stderr }
}

test('an app gets its path, name and folders', async ({ electronApp, env, page }) => {
  expect(await page.title()).toBe('Fixture')
  const told = await electronApp.evaluate(({ app }) => ({
    name: app.getName(),
    version: app.getVersion(),
    folder: app.getAppPath(),
    isPackaged: app.isPackaged,
    isReady: app.isReady(),
    type: process.type,
    userData: app.getPath('userData'),
    logs: app.getPath('logs'),
    electron: process.versions.electron,
  }))
  expect(told).toMatchObject({
    name: 'fixture-app',
    version: '1.2.3',
    folder: FIXTURE_APP,
    isPackaged: false,
    isReady: true,
    type: 'browser',
    userData: env['FIXTURE_USER_DATA'],
    logs: join(env['FIXTURE_USER_DATA']!, 'logs'),
    electron: expect.stringMatching(/^45\./),
  })
})

test('a second instance ends, and the first gets its arguments', async ({ electronApp, env, kept, page }) => {
  expect(await page.title()).toBe('Fixture')
  const second = await ended(run([FIXTURE_APP, 'wes://executions/exe_1'], env))
  expect(second.code).toBe(0)
  await expect.poll(async () => (await kept()).events.map(({ name }) => name)).toContain('second-instance')
  const told = (await kept()).events.find(({ name }) => name === 'second-instance')
  expect(told).toMatchObject({
    argv: expect.arrayContaining(['wes://executions/exe_1']),
    workingDirectory: process.cwd(),
    additionalData: { from: 'fixture', folder: process.cwd() },
  })
  expect(electronApp.windows()).toHaveLength(1)
})

test('the next app starts after one was killed', async ({ env, start }) => {
  const first = run([FIXTURE_APP], env)
  const saysReady = new Promise<void>((ready) =>
    first.stderr!.on('data', (text: Buffer) => String(text).includes('DevTools listening') && ready()),
  )
  if (process.env['ELECTRON_OVERRIDE_DIST_PATH']) await saysReady
  first.kill('SIGKILL')
  const second = await start()
  expect(await second.evaluate(({ app }) => app.hasSingleInstanceLock())).toBe(true)
})

test('links and files that the system opens are passed to the app', async ({ electronApp, kept, page }) => {
  expect(await page.title()).toBe('Fixture')
  await electronApp.evaluate(({ app }) => app.emit('open-url', { preventDefault() {} }, 'wes://executions/exe_1'))
  expect((await kept()).events).toContainEqual({ name: 'open-url', url: 'wes://executions/exe_1' })
})

test.describe('only the stand-in', () => {
  test.beforeEach(({ engine }) => {
    test.skip(engine !== 'stand-in', 'about the stand-in itself')
  })

  test('reports a top-level wait for `ready` instead of hanging', async ({ env }) => {
    const { code, stderr } = await ended(run([join(FIXTURE_APP, 'waits-for-ready.js')], env))
    expect(code).toBe(1)
    expect(stderr).toContain('top-level `await app.whenReady()`')
    expect(stderr).toContain('electron/electron#40719')
  })

  test('throws for unsupported members', async ({ electronApp, page }) => {
    expect(await page.title()).toBe('Fixture')
    const refusals = await electronApp.evaluate(
      async ({ app, autoUpdater, BrowserWindow, dialog, Notification, session, Tray, nativeImage, webContents }) => {
        const attempts: readonly (() => unknown)[] = [
          () => app.getGPUInfo('basic'),
          () => BrowserWindow.getAllWindows()[0]!.setOpacity(1),
          () => BrowserWindow.fromId(1)!.getParentWindow(),
          () => new BrowserWindow({ webPreferences: { sandbox: false } }),
          () => webContents.getAllWebContents()[0]!.openDevTools(),
          () => session.defaultSession.cookies,
          () => autoUpdater.checkForUpdates(),
          () => new Tray(nativeImage.createEmpty()).displayBalloon({ title: '', content: '' }),
          () => new Notification().hasReply,
          () => ((app as { badgeCount: number }).badgeCount = 1),
          () => dialog.showOpenDialog({}),
        ]
        return Promise.all(
          attempts.map(async (attempt) => {
            try {
              return String(await attempt())
            } catch (error) {
              return (error as Error).message
            }
          }),
        )
      },
    )
    expect(refusals).toEqual([
      'stand-in: app.getGPUInfo is not emulated',
      'stand-in: BrowserWindow#.setOpacity is not emulated',
      'stand-in: BrowserWindow#.getParentWindow is not emulated',
      'stand-in: webPreferences.sandbox: false is not emulated',
      'stand-in: WebContents#.openDevTools is not emulated',
      'stand-in: session.cookies is not emulated',
      'stand-in: autoUpdater is not emulated',
      'stand-in: Tray#.displayBalloon is not emulated',
      'stand-in: Notification#.hasReply is not emulated',
      'stand-in: app.badgeCount is not emulated',
      expect.stringContaining('dialog.showOpenDialog has nobody to answer it; a test answers with'),
    ])
  })

  test('ends with its Chromium', async ({ electronApp, env, page }) => {
    expect(await page.title()).toBe('Fixture')
    const main = electronApp.process()
    const exited = once(main, 'exit')
    const chromium = processesMarked(env['FIXTURE_USER_DATA']!).find(
      ({ command }) => command.includes('--no-startup-window') && !command.includes('--type='),
    )
    process.kill(chromium!.pid, 'SIGKILL')
    await exited
    expect(main.exitCode).toBe(1)
  })

  // The fixture `env` checks after each of these that nothing is left.
  test.describe('leaves no processes', () => {
    const waitForWindow = async (child: ChildProcess): Promise<void> => {
      for await (const text of child.stderr!) if (String(text).includes('DevTools listening')) return
    }

    test('when it is killed', async ({ env }) => {
      const app = run([FIXTURE_APP], env)
      await waitForWindow(app)
      app.kill('SIGKILL')
      await once(app, 'exit')
    })

    test('when its parent is killed', async ({ env }) => {
      const code = `require('node:child_process').spawn(${JSON.stringify(electron())}, [${JSON.stringify(FIXTURE_APP)}], { stdio: 'inherit' })`
      const starter = spawn(process.execPath, ['-e', code], { env, stdio: ['ignore', 'pipe', 'pipe'] })
      await waitForWindow(starter)
      starter.kill('SIGKILL')
      await once(starter, 'exit')
    })

    test('when it exits before it is ready, or while Chromium starts', async ({ env }) => {
      for (const waitMs of ['0', '50', '150', '400']) {
        const app = run([join(FIXTURE_APP, 'exits.js')], { ...env, FIXTURE_EXIT_AFTER_MS: waitMs })
        expect((await ended(app)).code).toBe(5)
      }
    })

    test('when its code cannot be loaded', async ({ env }) => {
      const { code, stderr } = await ended(run([join(FIXTURE_APP, 'throws.js')], env))
      expect(code).toBe(1)
      expect(stderr).toContain('App threw an error during load')
      expect(stderr).toContain('on purpose')
    })
  })
})

test('the binary is the selected one', ({ engine }) => {
  expect(basename(electron())).toMatch(/^electron/i)
  expect(electron().includes('electron-standin')).toBe(engine === 'stand-in')
})
