// Updates of the app from a feed on this computer, by the real electron-updater, for an AppImage.

import { existsSync, globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ElectronApplication, Page } from '@playwright/test'
import { createClient, type ServiceClient } from '../../src-sdk/create-client.ts'
import { takeScreenshot } from '../dashboard/take-screenshots.ts'
import { ROOT } from './desktop-home.ts'
import { CUT_OFF, electronBinary, expect, test as base, untilReady } from './launch.ts'
import { answerDialog, clickMenu, menuIsEnabled, menuLabel, shownDialogs } from './platform.ts'
import { APPROVAL, TICKS } from './programs.ts'
import { type AppImage, type Feed, openFeed, placeAppImage } from './updates.test-support.ts'

const test = base.extend<{ readonly feed: Feed; readonly appImage: AppImage }>({
  // oxlint-disable-next-line no-empty-pattern -- Playwright reads the names of the fixtures from the pattern
  feed: async ({}, provide) => {
    const feed = await openFeed()
    await provide(feed)
    await feed.close()
  },
  appImage: async ({ home, feed }, provide) => provide(placeAppImage(home, feed)),
})

test.skip(({ isInstalled }) => isInstalled, 'an installed app has the feed of its package only')
test.skip(process.platform !== 'linux', 'an AppImage is for Linux')

const settingsOf = (page: Page) => page.getByRole('region', { name: 'Updates' })
const noticeOf = (page: Page) => page.getByRole('region', { name: 'Update', exact: true })
const RESTART = { name: 'Restart to update' }

/** The app with its updates on screen. */
const openUpdates = async (page: Page): Promise<void> => {
  await page.getByRole('link', { name: 'Settings' }).click()
  await settingsOf(page).scrollIntoViewIfNeeded()
}

const takeBothThemes = async (page: Page, name: string): Promise<void> => {
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
    await takeScreenshot(page, `${name}-${colorScheme}`)
  }
  await page.emulateMedia({ colorScheme: null, reducedMotion: null })
}

/** For an app that does not look by itself. */
const download = async (page: Page): Promise<void> => {
  await openUpdates(page)
  const section = settingsOf(page)
  await section.getByRole('button', { name: 'Check for updates' }).click()
  await section.getByRole('button', { name: 'Download' }).click()
  await expect(section.getByRole('button', RESTART)).toBeVisible()
}

/** An Execution waits, so the app asks. */
const chooseInstallOnQuit = async (
  electronApp: ElectronApplication,
  page: Page,
  client: ServiceClient,
): Promise<void> => {
  await untilReady(page)
  await client.deployProgram(APPROVAL)
  await client.start('approval')
  await download(page)
  await answerDialog(electronApp, 'showMessageBox', { response: 1 })
  await settingsOf(page).getByRole('button', RESTART).click()
}

test('the menu looks for updates, and Settings say when and what was found', async ({
  appImage,
  feed,
  home,
  launch,
}) => {
  home.storeSettings({ checkForUpdates: false })
  feed.publish('latest', { version: '0.1.0' })
  const { electronApp, page: open } = await launch({ env: appImage.env })
  const page = await open()
  await openUpdates(page)
  await expect(settingsOf(page)).toContainText('Not checked yet.')
  await page.getByRole('link', { name: 'Programs' }).click()
  expect(await menuLabel(electronApp, 'updates')).toBe('Check for Updates…')
  await clickMenu(electronApp, 'updates')
  await expect(settingsOf(page)).toContainText('Version 0.1.0 is the newest')
  await expect(settingsOf(page)).toBeInViewport()
  await expect(settingsOf(page).getByText(/Last checked/)).toBeVisible()
  expect(feed.asked).toEqual(['/latest-linux.yml'])
  const stored = JSON.parse(readFileSync(join(home.userData, 'settings.json'), 'utf8')) as { updatesCheckedAt: number }
  expect(Math.abs(Date.now() - stored.updatesCheckedAt)).toBeLessThan(60_000)
  await takeBothThemes(page, 'desktop-updates-none')
})

test('a newer version is offered soon after the start, loaded and installed only when the user says so', async ({
  allow,
  appImage,
  feed,
  home,
  launch,
}) => {
  allow(CUT_OFF)
  const started = join(home.folder, 'started')
  feed.publish('latest', {
    version: '0.2.0',
    script: `echo "0.2.0 exit=$APPIMAGE_EXIT_AFTER_INSTALL $*" >> "${started}"`,
    notes: '<h2>New</h2><ul><li>Faster <img src=x onerror="document.title=1"> starts</li><li>A &lt;b&gt; fix</li></ul>',
  })
  feed.how = 'held'
  const app = await launch({ env: appImage.env, args: ['--enable-features=None'] })
  const page = await app.page()
  await expect(noticeOf(page)).toContainText('Update available0.2.0 · 488 KiB · What’s new')
  expect(await menuLabel(app.electronApp, 'updates')).toBe('Update to Version 0.2.0…')
  await takeBothThemes(page, 'desktop-updates-notice')
  expect(feed.asked).toEqual(['/latest-linux.yml'])

  await noticeOf(page).getByRole('link', { name: 'What’s new' }).click()
  const notes = settingsOf(page).getByRole('region', { name: 'What’s new in version 0.2.0' })
  await expect(notes).toHaveText('New\n\n• Faster starts\n• A <b> fix', { useInnerText: true })
  await expect(notes.locator('*')).toHaveCount(0)
  await expect(settingsOf(page)).toBeInViewport({ ratio: 1 })
  await expect(page.getByRole('heading', { name: 'Settings' })).toBeInViewport({ ratio: 1 })
  await expect(settingsOf(page)).toContainText('488 KiB · released 2026-11-20 · you have 0.1.0')
  await takeBothThemes(page, 'desktop-updates-available')

  await settingsOf(page).getByRole('button', { name: 'Download' }).click()
  const bar = settingsOf(page).getByRole('progressbar', { name: 'Downloading version 0.2.0' })
  await expect(bar).toBeVisible()
  expect(await menuLabel(app.electronApp, 'updates')).toBe('Downloading Update…')
  await settingsOf(page).getByRole('button', { name: 'Cancel' }).click()
  await expect(settingsOf(page).getByRole('button', { name: 'Download' })).toBeVisible()

  await settingsOf(page).getByRole('button', { name: 'Download' }).click()
  await expect(bar).toBeVisible()
  await expect.poll(() => feed.asked.length).toBe(3)
  await takeBothThemes(page, 'desktop-updates-downloading')
  feed.send()
  feed.how = 'whole'
  await expect(settingsOf(page)).toContainText('Version 0.2.0 is ready')
  await takeBothThemes(page, 'desktop-updates-ready')
  expect(appImage.content()).toBe('version 0.1.0')

  await noticeOf(page).getByRole('button', { name: 'Later' }).click()
  await expect(noticeOf(page)).toHaveCount(0)
  const ended = app.electronApp.waitForEvent('close')
  await clickMenu(app.electronApp, 'updates')
  await ended
  await expect.poll(() => existsSync(started)).toBe(true)
  // With the options that this app was started with.
  expect(readFileSync(started, 'utf8')).toMatch(/^0\.2\.0 exit= .*--enable-features=None/)
  expect(appImage.content()).toContain('0.2.0 exit=')
  expect(globSync('cache/wes-updater/pending/*.AppImage', { cwd: home.folder })).toEqual([])
})

test('while an Execution runs, a restart asks first; later it goes on in the new version', async ({
  allow,
  appImage,
  feed,
  home,
  launch,
}) => {
  allow(CUT_OFF)
  home.storeSettings({ checkForUpdates: false })
  // Not `exec`: the stand-in ends with the process that started it.
  feed.publish('latest', { version: '0.2.0', script: `"${electronBinary()}" --no-sandbox "${ROOT}"` })
  const app = await launch({ env: appImage.env })
  const page = await app.page()
  await untilReady(page)
  await home.client.deployProgram(TICKS)
  const { id } = await home.client.start('ticks', { to: 10_000 })
  const other = createClient({ url: home.url, projectId: (await home.client.createProject({ name: 'Other' })).id })
  await other.deployProgram(APPROVAL)
  await other.start('approval')
  await download(page)
  const restart = settingsOf(page).getByRole('button', RESTART)

  await answerDialog(app.electronApp, 'showMessageBox', { response: 2 })
  await restart.click()
  await expect.poll(async () => (await shownDialogs(app.electronApp)).length).toBe(1)
  const [question] = await shownDialogs(app.electronApp)
  expect(question!.message).toBe('Restart now to install version 0.2.0?')
  expect(question!.detail).toMatch(/^(?:2 Executions are waiting|1 Execution is running, and 1 waiting)\./)
  expect(question!.detail).toContain('go on after the restart')
  await expect(restart).toBeVisible()
  expect(appImage.content()).toBe('version 0.1.0')
  const { pid } = await home.client.getRuntime()

  await answerDialog(app.electronApp, 'showMessageBox', { response: 0 })
  const ended = app.electronApp.waitForEvent('close')
  await restart.click()
  await ended
  const runtime = async () => (await home.client.getRuntime().catch(() => undefined))?.pid ?? pid
  await expect.poll(runtime).not.toBe(pid)
  const restartedAt = new Date().toISOString()
  const hasGoneOn = async () => {
    const [timer] = (await home.client.getExecution(id)).waitingFor
    return timer?.kind === 'timer' && timer.wakeAt > restartedAt
  }
  await expect.poll(hasGoneOn).toBe(true)
  expect(appImage.content()).toContain(ROOT)
  process.kill(await runtime(), 'SIGTERM')
})

test('an update may wait until the user quits', async ({ allow, appImage, feed, home, launch }) => {
  allow(CUT_OFF)
  home.storeSettings({ checkForUpdates: false })
  const started = join(home.folder, 'started')
  feed.publish('latest', { version: '0.2.0', script: `echo "exit=$APPIMAGE_EXIT_AFTER_INSTALL" >> "${started}"` })
  const app = await launch({ env: appImage.env })
  const page = await app.page()
  await chooseInstallOnQuit(app.electronApp, page, home.client)
  await expect(settingsOf(page)).toContainText('It is installed when you quit the app.')
  await expect(noticeOf(page)).toContainText('0.2.0, installed when you quit')
  expect(appImage.content()).toBe('version 0.1.0')
  expect(await app.quit()).toBe(0)
  expect(readFileSync(started, 'utf8')).toBe('exit=true\n')
  expect(appImage.content()).toContain('exit=')
})

test('nothing is installed when the system shuts down, which may not wait for it', async ({
  allow,
  appImage,
  feed,
  home,
  launch,
}) => {
  allow(CUT_OFF)
  home.storeSettings({ checkForUpdates: false })
  feed.publish('latest', { version: '0.2.0' })
  const app = await launch({ env: appImage.env })
  const page = await app.page()
  await chooseInstallOnQuit(app.electronApp, page, home.client)
  await expect(noticeOf(page)).toContainText('installed when you quit')
  const ended = app.electronApp.waitForEvent('close')
  await app.electronApp.evaluate(({ powerMonitor }) => powerMonitor.emit('shutdown', { preventDefault() {} }))
  await ended
  expect(appImage.content()).toBe('version 0.1.0')
})

test('the user chooses the channel, and an older version never replaces a newer one', async ({
  appImage,
  feed,
  launch,
}) => {
  feed.publish('latest', { version: '0.0.9' })
  feed.publish('beta', { version: '0.2.0-beta.1' })
  const page = await (await launch({ env: appImage.env })).page()
  await openUpdates(page)
  const section = settingsOf(page)
  await section.getByRole('button', { name: 'Check for updates' }).click()
  await expect(section).toContainText('Version 0.1.0 is newer than 0.0.9, the newest of this channel')
  feed.write('latest', 'version: 0.3.0\nstagingPercentage: 0\nfiles:\n  - url: wes.AppImage\n    sha512: x\n')
  await section.getByRole('button', { name: 'Check for updates' }).click()
  await expect(section, 'a release for a part of all computers').toContainText('Version 0.1.0 is the newest')
  feed.publish('latest', { version: '0.0.9' })
  await section.getByRole('button', { name: 'Beta' }).click()
  await expect(section).toContainText('Version 0.2.0-beta.1 is available')
  await takeBothThemes(page, 'desktop-updates-beta')
  await section.getByRole('button', { name: 'Latest' }).click()
  await expect(section).toContainText('Version 0.1.0 is newer than 0.0.9')
  await expect(noticeOf(page)).toHaveCount(0)
})

test('what fails is said in a sentence, and can be tried again', async ({ appImage, feed, home, launch }) => {
  home.storeSettings({ checkForUpdates: false })
  const page = await (await launch({ env: appImage.env })).page()
  await openUpdates(page)
  const section = settingsOf(page)
  const fault = section.getByRole('alert')
  const again = section.getByRole('button', { name: 'Try again' })
  await section.getByRole('button', { name: 'Check for updates' }).click()
  await expect(fault).toContainText('No release was found for this system and channel.')

  for (const text of ['<html><body>Sign in to the Wi-Fi</body></html>', 'a: [b', 'version: new', '']) {
    feed.write('latest', text)
    await again.click()
    await expect(fault, text).toContainText('cannot be read')
  }
  await takeBothThemes(page, 'desktop-updates-failed')
  feed.write('latest', 'version: 0.2.0\nfiles:\n  - url: wes.deb\n    sha512: x\n')
  await again.click()
  await expect(fault).toContainText('no file for this system')
  feed.how = 'redirected'
  await again.click()
  await expect(fault).toContainText('without encryption')
  feed.how = 'gone'
  await again.click()
  await expect(fault).toContainText('does not answer')

  feed.how = 'whole'
  feed.publish('latest', { version: '0.2.0', sha512: 'x'.repeat(86) })
  await again.click()
  await section.getByRole('button', { name: 'Download' }).click()
  await expect(fault).toContainText('its checksum differs')
  await expect(noticeOf(page)).toContainText('Download failed')
  await expect(noticeOf(page).locator('.lucide-triangle-alert')).toBeVisible()
  expect(globSync('cache/wes-updater/pending/*', { cwd: home.folder })).toEqual([])
  feed.how = 'half'
  await again.click()
  await expect(fault).toContainText('was interrupted')
  feed.how = 'whole'
  feed.publish('latest', { version: '0.2.0' })
  await section.getByRole('button', { name: 'Latest' }).click()
  await section.getByRole('button', { name: 'Beta' }).click()
  await section.getByRole('button', { name: 'Latest' }).click()
  await section.getByRole('button', { name: 'Download' }).click()
  await expect(section.getByRole('button', RESTART)).toBeVisible()
  expect(appImage.content()).toBe('version 0.1.0')
})

test('a check that nobody asked for fails quietly', async ({ appImage, feed, launch }) => {
  feed.how = 'gone'
  const page = await (await launch({ env: appImage.env })).page()
  await openUpdates(page)
  await expect(settingsOf(page)).toContainText('The last attempt failed: The update server does not answer.')
  await expect(settingsOf(page).getByRole('alert')).toHaveCount(0)
  await expect(noticeOf(page)).toHaveCount(0)
})

test('where the app does not update itself, Settings say who does, and nobody is asked', async ({
  appImage,
  feed,
  launch,
}) => {
  const { APPIMAGE: _, ...env } = appImage.env
  const { electronApp, page: open } = await launch({ env: { ...env, WES_NO_UPDATES: '1' } })
  const page = await open()
  expect(await menuIsEnabled(electronApp, 'updates')).toBe(true)
  await clickMenu(electronApp, 'updates')
  await expect(settingsOf(page)).toContainText('Updates are turned off on this computer')
  await expect(settingsOf(page).getByRole('button')).toHaveCount(0)
  await takeBothThemes(page, 'desktop-updates-off')
  const refused = page.evaluate(() => wesDesktop.updates.restart().catch((error: unknown) => error))
  expect(await refused).toMatchObject({ code: 'not_ready' })
  expect(feed.asked).toEqual([])
})
