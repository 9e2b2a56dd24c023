// Notifications follow the rules that are turned on, and a click opens their Execution.

import { rmSync } from 'node:fs'
import { expect, test, untilReady } from './launch.ts'
import { clickNotification, shownNotifications } from './platform.ts'
import { APPROVAL, FAILS } from './programs.ts'

const OFF = { failed: false, waitsForMe: false, finishedAfterAMinute: false }

test('none is sent by default', async ({ electronApp, home, page }) => {
  await untilReady(page)
  await home.client.deployProgram(FAILS)
  const { id } = await home.client.start('fails')
  await expect.poll(async () => (await home.client.getExecution(id)).status).toBe('failed')
  const tray = () => electronApp.evaluate(() => desktopRecord.trayMenu?.getMenuItemById('tray-failure-1')?.label)
  // The tray shows the failure, so a notification would have been sent by now.
  await expect.poll(tray).toContain('fails')
  expect(await shownNotifications(electronApp)).toEqual([])
})

test('a failure is notified while the window has no focus; a click shows it, and with it a refusal of the system', async ({
  home,
  launch,
}) => {
  home.storeSettings({ notifyWhen: { ...OFF, failed: true } })
  const { electronApp, page: openPage } = await launch()
  const page = await openPage()
  await untilReady(page)
  const window = await electronApp.browserWindow(page)
  await window.evaluate((one) => one.minimize())
  await home.client.deployProgram(FAILS)
  const { id } = await home.client.start('fails')
  await expect.poll(() => shownNotifications(electronApp)).toEqual([{ title: 'fails failed', body: 'no money' }])
  const reasons = await page.evaluateHandle(() => {
    const told: string[] = []
    wesDesktop.onNotificationFailed((reason) => told.push(reason))
    return told
  })
  await electronApp.evaluate(() => desktopRecord.notifications[0]!.emit('failed', {}, 'They are not allowed.'))
  // Answered behind all messages that were sent before.
  await page.evaluate(() => wesDesktop.settings.get())
  expect(await reasons.jsonValue(), 'told to nobody yet').toEqual([])
  await clickNotification(electronApp, 'fails failed')
  await expect(page).toHaveURL(new RegExp(`/executions/${id}`))
  await expect.poll(() => window.evaluate((one) => !one.isMinimized() && one.isFocused())).toBe(true)
  const toast = page.getByRole('region', { name: 'Notifications' })
  await expect(toast).toContainText('in the system’s settings. It says: “They are not allowed.”')
})

test('a failure is notified while the window shows a hosted service, also of the runtime itself', async ({
  home,
  launch,
}) => {
  home.storeSettings({ notifyWhen: { ...OFF, failed: true } })
  const { electronApp, page: openPage } = await launch()
  const page = await openPage()
  await untilReady(page)
  const window = await electronApp.browserWindow(page)
  await expect.poll(() => window.evaluate((one) => one.isFocused())).toBe(true)
  await page.evaluate(() => wesDesktop.shownConnection('acme'))
  await home.client.deployProgram(FAILS)
  await home.client.start('fails')
  const ofExecution = { title: 'fails failed', body: 'no money' }
  await expect.poll(() => shownNotifications(electronApp)).toEqual([ofExecution])
  if (process.platform === 'win32') return // It deletes no file that is open.
  rmSync(home.dataDir, { recursive: true })
  const ofRuntime = { title: 'The runtime failed', body: expect.stringContaining('was deleted') as unknown }
  await expect.poll(() => shownNotifications(electronApp)).toEqual([ofExecution, ofRuntime])
  await clickNotification(electronApp, ofRuntime.title)
  await expect(page.getByRole('alert', { name: 'The runtime failed' })).toBeVisible()
})

test('a wait is notified once, and many are combined', async ({ home, launch }) => {
  home.storeSettings({ notifyWhen: { ...OFF, waitsForMe: true } })
  const { electronApp, page: openPage } = await launch()
  const page = await openPage()
  await untilReady(page)
  await (await electronApp.browserWindow(page)).evaluate((one) => one.hide())
  await home.client.deployProgram(APPROVAL)
  await home.client.start('approval')
  await expect
    .poll(() => shownNotifications(electronApp))
    .toEqual([{ title: 'approval waits for approved', body: 'approved' }])
  await Promise.all(Array.from({ length: 10 }, () => home.client.start('approval')))
  // On a slow machine they do not all start within the second that is combined.
  const titles = async () => (await shownNotifications(electronApp)).map(({ title }) => title)
  await expect.poll(titles).toContainEqual(expect.stringMatching(/^\d+ Executions wait for events$/))
  expect((await titles()).length).toBeLessThan(8)
})
