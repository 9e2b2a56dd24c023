// However the app ends, its Executions continue when it starts again.

import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { readRuntimeInfo } from '../../src-runtime/data-directory/data-directory.ts'
import { STOP_MESSAGE } from '../../src-runtime/shared/stop-message.ts'
import { CUT_OFF, type DesktopApp, expect, test, untilReady } from './launch.ts'
import { answerDialog } from './platform.ts'
import { APPROVAL, TICKS } from './programs.ts'

const ENDINGS = [
  ['is quit', (app) => app.quit()],
  ['is killed', (app) => app.kill()],
  [
    'gets a signal',
    async (app) => {
      const child = app.electronApp.process()
      const exited = new Promise((resolve) => child.once('exit', resolve))
      child.kill('SIGTERM')
      await exited
      expect(child.exitCode).toBe(0)
    },
  ],
  [
    'ends with the machine',
    async (app) => {
      const child = app.electronApp.process()
      const exited = new Promise((resolve) => child.once('exit', resolve))
      await app.electronApp.evaluate(({ powerMonitor }) => powerMonitor.emit('shutdown', { preventDefault() {} }))
      await exited
      expect(child.exitCode).toBe(0)
    },
  ],
] as const satisfies readonly (readonly [string, (app: DesktopApp) => Promise<unknown>])[]

for (const [how, end] of ENDINGS) {
  test(`when the app ${how}, running and waiting Executions continue at the next start`, async ({
    allow,
    home,
    launch,
  }) => {
    allow(CUT_OFF)
    const { client } = home
    const first = await launch()
    await untilReady(await first.page())
    await client.deployProgram(TICKS)
    await client.deployProgram(APPROVAL)
    const ticking = await client.start('ticks', { to: 20 })
    const waiting = await client.start('approval')
    const ticks = async () =>
      (await client.getHistory(ticking.id)).items.filter(({ type }) => type === 'timer_fired').length
    await expect.poll(ticks).toBeGreaterThan(2)
    await end(first)
    await expect(client.listProjects()).rejects.toMatchObject({ code: 'network_error' })

    const second = await launch()
    await untilReady(await second.page())
    await client.sendEvent(waiting.id, 'approved', { by: 'Ada' })
    await expect.poll(() => client.getResult(waiting.id)).toEqual({ status: 'completed', result: { by: 'Ada' } })
    await expect.poll(() => client.getResult(ticking.id)).toEqual({ status: 'completed', result: 20 })
    expect(await ticks()).toBe(20)
  })
}

test('an effect that runs when the app quits may finish first, and is not run again by a start that comes meanwhile', async ({
  allow,
  home,
  launch,
}) => {
  allow(CUT_OFF)
  home.writeProject(
    'programs/pay.effects.ts',
    `import { appendFileSync } from 'node:fs'
import { setTimeout } from 'node:timers/promises'
export async function pay(): Promise<string> {
  appendFileSync('payments', 'begun ')
  await setTimeout(1500)
  appendFileSync('payments', 'done ')
  return 'paid'
}`,
  )
  const folder = home.writeProject(
    'programs/order.ts',
    `import { defineProgram } from 'workflow-execution-service'
import { pay } from './pay.effects.ts'
export default defineProgram({ id: 'order' }, async () => pay())`,
  )
  const payments = () => (existsSync(join(folder, 'payments')) ? readFileSync(join(folder, 'payments'), 'utf8') : '')
  home.trust(folder)
  home.storeSettings({ projectFolders: { current: folder, recent: [folder] } })
  const first = await launch()
  await untilReady(await first.page())
  await expect.poll(async () => (await home.client.listPrograms()).items.map(({ id }) => id)).toEqual(['order'])
  const { id } = await home.client.start('order')
  await expect.poll(payments).toBe('begun ')
  const exited = once(first.electronApp.process(), 'exit')
  const link = `wes://executions/${id}`
  const file = join(home.userData, 'next-start.json')
  const left = await first.electronApp.evaluate(
    ({ app }, [opened, stored]) => {
      app.quit()
      app.emit('second-instance', {}, [], '/', { argv: ['wes', opened], cwd: '/' })
      return process.getBuiltinModule('node:fs').readFileSync(stored!, 'utf8')
    },
    [link, file],
  )
  expect(left).toContain(link)
  expect(await exited).toEqual([0, null])
  expect(payments()).toBe('begun done ')

  // The app has started again.
  const result = () => home.client.getResult(id).catch(() => 'no runtime')
  await expect.poll(result).toEqual({ status: 'completed', result: 'paid' })
  expect(payments()).toBe('begun done ')
  // It has read the link.
  expect(existsSync(file)).toBe(false)
  process.kill(readRuntimeInfo(home.dataDir)!.pid)
})

test('an app that was opened while it ended does not start again if it is quit again', async ({ home, launch }) => {
  const { electronApp, page } = await launch()
  await untilReady(await page())
  const exited = once(electronApp.process(), 'exit')
  const stored = await electronApp.evaluate(
    async ({ app }, file) => {
      const { existsSync: exists } = process.getBuiltinModule('node:fs')
      const closed = new Promise((resolve) => {
        app.once('will-quit', () => setImmediate(resolve))
      })
      app.quit()
      app.emit('second-instance', {}, [], '/', { argv: ['wes'], cwd: '/' })
      const before = exists(file)
      // While windows close, Electron does not say that the app is quit again.
      await closed
      app.quit()
      return [before, exists(file)]
    },
    join(home.userData, 'next-start.json'),
  )
  expect(stored).toEqual([true, false])
  expect(await exited).toEqual([0, null])
})

test('an app over which another version was installed offers a restart, once, and starts again', async ({
  home,
  launch,
}) => {
  const { electronApp, page } = await launch()
  await untilReady(await page())
  const { pid: before } = readRuntimeInfo(home.dataDir)!
  const exited = once(electronApp.process(), 'exit')
  await answerDialog(electronApp, 'showMessageBox', { response: 0 })
  const dialogs = await electronApp.evaluate(async ({ app }) => {
    const fs = process.getBuiltinModule('node:fs')
    const { statSync } = fs
    const replaced = (...args: Parameters<typeof statSync>) =>
      Object.assign(statSync(...args)!, args[0] === process.execPath && { ino: 1 })
    for (const stat of [statSync, replaced, replaced]) {
      Object.assign(fs, { statSync: stat })
      process.getBuiltinModule('node:module').syncBuiltinESMExports()
      app.emit('browser-window-focus', {}, null)
    }
    await new Promise((resolve) => setImmediate(resolve))
    return desktopRecord.dialogs.map(({ message }) => message)
  })
  expect(dialogs).toEqual(['Another version of Workflow Execution Service was installed.'])
  expect(await exited).toEqual([0, null])
  const next = () => readRuntimeInfo(home.dataDir)?.pid ?? before
  await expect.poll(next).not.toBe(before)
  process.kill(next())
})

test('an app whose page is developed leaves the lock to the next one as soon as it ends', async ({
  isInstalled,
  launch,
}) => {
  test.skip(isInstalled, 'only a checkout is developed')
  const { electronApp } = await launch({ env: { ELECTRON_RENDERER_URL: 'http://localhost:1' } })
  await electronApp.firstWindow()
  const locks = await electronApp.evaluate(({ app }) => {
    const before = app.hasSingleInstanceLock()
    app.quit()
    return [before, app.hasSingleInstanceLock()]
  })
  expect(locks).toEqual([true, false])
})

test('the app ends in order when a message tells it to, as npm start does on Windows', async ({
  home,
  startWithChannel,
}) => {
  const child = startWithChannel()
  const exited = once(child, 'exit')
  const answers = () =>
    home.client.listProjects().then(
      () => true,
      () => false,
    )
  await expect.poll(answers).toBe(true)
  child.send(STOP_MESSAGE)
  expect(await exited).toEqual([0, null])
  // Its runtime removes this when it stops, and leaves it when it is killed.
  expect(existsSync(join(home.dataDir, 'runtime.json'))).toBe(false)
})

test('after sleep, due timers fire at once', async ({ electronApp, home, page }) => {
  await untilReady(page)
  await electronApp.evaluate(({ powerMonitor }) => {
    powerMonitor.emit('suspend')
    powerMonitor.emit('resume')
  })
  await home.client.deployProgram(TICKS)
  expect(await (await home.client.start('ticks', { to: 2 })).result()).toBe(2)
})

test('an uncaught error ends the app in order, says so, and loses no start that comes meanwhile', async ({
  allow,
  app,
  electronApp,
  home,
  page,
}) => {
  allow(CUT_OFF)
  await untilReady(page)
  const exited = new Promise<number | null>((resolve) => electronApp.process().once('exit', resolve))
  await electronApp.evaluate(({ app }) => {
    process.once('unhandledRejection', () => app.emit('second-instance', {}, [], '/', { argv: ['wes'], cwd: '/' }))
    setImmediate(() => void Promise.reject(new Error('on purpose')))
  })
  expect(await exited).toBe(1)
  await app.quit()
  const log = readFileSync(join(home.userData, 'logs/wes.log'), 'utf8')
  expect(log).toContain('an uncaught error')
  expect(log).toContain('on purpose')

  // The app has started again.
  await expect.poll(() => readRuntimeInfo(home.dataDir)).toBeDefined()
  process.kill(readRuntimeInfo(home.dataDir)!.pid)
})
