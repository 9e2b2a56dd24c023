// What the page shows of the desktop app's runtime in states that do not last. The desktop app is played by the page.

import type { Page } from '@playwright/test'
import type { RuntimeState } from '../../src-main/preload/desktop-api.ts'
import { expect, takeScreenshots, test } from './fixtures.ts'

declare global {
  /** In the page. */
  var desktopSays: (state: RuntimeState) => void
}

/** Answers nothing but the runtime's state. */
const playDesktop = async (page: Page, first: RuntimeState): Promise<void> => {
  await page.addInitScript((state) => {
    const listeners: ((next: RuntimeState) => void)[] = []
    globalThis.desktopSays = (next) => listeners.forEach((listener) => listener(next))
    const runtime = {
      state: () => Promise.resolve(state),
      onState: (listener: (next: RuntimeState) => void) => {
        listeners.push(listener)
        return () => {}
      },
    }
    const silent = (name = ''): object =>
      new Proxy(() => {}, {
        get: (_target, member) => silent(String(member)),
        apply: () => (name.startsWith('on') ? () => {} : new Promise(() => {})),
      })
    const wesDesktop = new Proxy(
      {},
      { get: (_target, member) => (member === 'runtime' ? runtime : silent(String(member))) },
    )
    Object.assign(globalThis, { wesDesktop })
  }, first)
}

const READY: RuntimeState = { kind: 'ready', url: '', port: 3477, pid: 1, owned: true, projectFolder: null }
const SINCE = '2026-11-20T18:00:00.000Z'

test('while the app starts or stops the runtime, there is nothing to press', async ({ page, allow, freshRuntime }) => {
  allow(/net::ERR_|503/)
  await playDesktop(page, READY)
  // The app says that the runtime is ready before the page has heard from it.
  const stream = page.waitForResponse(/\/v1\/changes/)
  await page.goto(`${freshRuntime.url}/executions`)
  await expect(page.getByRole('status', { name: 'Runtime' })).toHaveText('Runtime ready')
  await stream
  // Of a module of its own, which a killed runtime cannot give.
  await expect(page.getByRole('main').getByRole('heading', { level: 2 })).toBeVisible()
  await freshRuntime.kill()
  const notice = page.getByRole('status', { name: 'Availability' })
  await expect(notice.getByRole('button')).toHaveText('Retry now')
  await page.evaluate((since) => globalThis.desktopSays({ kind: 'starting', since }), SINCE)
  await expect(notice).toContainText('The runtime is starting. Showing data from')
  const start = page
    .getByRole('main')
    .getByRole('button', { name: /^Start/ })
    .first()
  await expect(start).toHaveAttribute('aria-disabled', 'true')
  await expect(notice.getByRole('button')).toHaveCount(0)
  await takeScreenshots(page, 'runtime-starting')
  await page.evaluate((since) => globalThis.desktopSays({ kind: 'stopping', since }), SINCE)
  await expect(notice).toContainText('The runtime is stopping.')
  await expect(notice.getByRole('button')).toHaveCount(0)
})

test('a runtime of other data on the port is named, with a way to its page', async ({ page, runtime }) => {
  const environmentLine = 'SERVICE_RUNTIME_URL=http://localhost:3478'
  const holder = { name: '/usr/local/bin/node /home/ada/shop/node_modules/.bin/wes dev --token secret', pid: 4711 }
  await playDesktop(page, {
    ...{ kind: 'foreign', port: 3477, isReserved: false, suggestedPort: 3478, environmentLine, holder },
    runtime: { version: '0.1.0', pid: 4711, dataDirectory: '/home/ada/shop/.wes', projectFolder: '/home/ada/shop' },
  })
  await page.goto(`${runtime.url}/executions`)
  const notice = page.getByRole('alert', { name: 'Port 3477 is taken' })
  await expect(notice).toContainText(
    'Another WES runtime uses it for the project /home/ada/shop, with its data in /home/ada/shop/.wes (version 0.1.0, pid 4711).',
  )
  await expect(notice, 'a command line may hold secrets').not.toContainText('secret')
  await expect(notice.getByRole('link')).toHaveAttribute('href', 'http://localhost:3477')
  await expect(page.getByRole('status', { name: 'Runtime' }).locator('..')).toContainText(
    'Another runtime uses port 3477',
  )
  const start = page.getByRole('button', { name: 'Start execution' })
  await expect(start).toHaveAttribute('aria-disabled', 'true')
  await expect(start).toHaveAccessibleDescription('The runtime cannot start')
  await takeScreenshots(page, 'port-of-another-runtime')
  await page.getByRole('link', { name: 'Programs', exact: true }).click()
  const deploy = page.getByRole('button', { name: 'Deploy files' })
  await expect(deploy).toHaveAttribute('aria-disabled', 'true')
  await expect(deploy).toHaveAccessibleDescription('The runtime cannot start')
})

test('the log of a failed runtime shows its end, leaves room for the screen in a low window, and stays during a new start', async ({
  page,
  runtime,
}) => {
  await page.setViewportSize({ width: 911, height: 512 })
  const logLines = Array.from({ length: 20 }, (_, index) => `{"level":"warn","msg":"line ${index}"}`)
  await playDesktop(page, { kind: 'crashed', message: 'The runtime stopped answering.', logLines, restartsAt: null })
  await page.goto(`${runtime.url}/executions`)
  const log = page.getByLabel('Last lines of the log')
  await expect(log).toContainText('line 19')
  const { height, below } = await log.evaluate(({ clientHeight, scrollHeight, scrollTop }) => ({
    height: clientHeight,
    below: scrollHeight - clientHeight - scrollTop,
  }))
  expect(height).toBeLessThan(512 / 4)
  expect(below).toBeLessThanOrEqual(1)
  await takeScreenshots(page, 'runtime-failed')

  const heading = page.getByRole('heading', { name: 'Executions', level: 1 })
  const before = await heading.boundingBox()
  await page.evaluate((since) => globalThis.desktopSays({ kind: 'starting', since }), SINCE)
  await expect(page.getByRole('alert', { name: 'The runtime failed' })).toContainText('It starts again now.')
  expect(await heading.boundingBox(), 'while the runtime starts, which may fail again').toEqual(before)
  const upgrade = { kind: 'copying', percent: 40 } as const
  await page.evaluate((state) => globalThis.desktopSays(state), { kind: 'starting', since: SINCE, upgrade } as const)
  await expect(log, 'an upgrade takes long, and tells how far it is').toBeHidden()
  await expect(page.getByRole('status', { name: 'Runtime' }).locator('..')).toContainText('Copying it first: 40%')
  await takeScreenshots(page, 'data-upgrading')
})
