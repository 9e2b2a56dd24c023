import { expect, test, untilReady } from './launch.ts'

test('the app opens its window on the dashboard, with the runtime running', async ({ electronApp, home, page }) => {
  await expect(page).toHaveTitle(/Workflow Execution Service/)
  await untilReady(page)
  expect((await home.client.listProjects()).items).toHaveLength(1)
  const url = await electronApp.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows()[0]!.webContents.getURL())
  expect(url).toMatch(/^app:\/\/dashboard\//)
})
