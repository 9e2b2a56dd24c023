import type { Locator, Page } from '@playwright/test'
import { axe, expect, test } from './fixtures.ts'
import { watchShifts } from './watch-shifts.test-support.ts'

const HELLO = {
  format: 'wes.program/1' as const,
  id: 'hello',
  program: { code: '({ run: async () => 1 })' },
}
const DAY_MS = 24 * 60 * 60 * 1_000

test('old Executions are counted, deleted after a confirmation, and the progress is shown', async ({
  allow,
  freshRuntime,
  page,
}) => {
  allow(/status of 404/)
  const { client, url } = freshRuntime
  await client.deployProgram(HELLO)
  for (let n = 0; n < 3; n += 1) await (await client.start('hello')).result()
  // The page's clock is two days ahead, and at first the service's is not.
  await page.clock.setFixedTime(Date.now() + 2 * DAY_MS)
  await page.goto(`${url}/settings`)
  await page.getByRole('combobox', { name: 'Ended more than' }).click()
  await page.getByRole('option', { name: '1 day' }).click()
  await page.getByRole('button', { name: 'Delete…' }).click()
  await expect(page.getByText('No Execution ended that long ago')).toBeVisible()
  await page.route(/\/v1\/(?!changes)/, async (route) => {
    const answer = await route.fetch()
    const date = new Date(Date.now() + 2 * DAY_MS).toUTCString()
    await route.fulfill({ response: answer, headers: { ...answer.headers(), date } })
  })
  // An answer that never ends cannot be given another date.
  await page.route('**/v1/changes*', async (route) => route.fulfill({ status: 404 }))
  await page.reload()
  await page.getByRole('combobox', { name: 'Ended more than' }).click()
  await page.getByRole('option', { name: '1 day' }).click()
  await page.getByRole('button', { name: 'Delete…' }).click()
  const dialog = page.getByRole('dialog', { name: 'Delete old Executions' })
  await expect(dialog).toContainText('3 Executions of this project ended more than a day ago')
  await dialog.getByRole('button', { name: 'Go back' }).click()
  expect((await client.listExecutions()).items).toHaveLength(3)
  await page.getByRole('button', { name: 'Delete…' }).click()
  await dialog.getByRole('button', { name: 'Delete 3 Executions' }).click()
  await expect(page.getByText('Deleted 3 Executions')).toBeVisible()
  expect((await client.listExecutions()).items).toEqual([])
  // The page may be asking for something, and the runtime ends before it does.
  await page.unrouteAll({ behavior: 'ignoreErrors' })
})

test('a running deletion is a progress bar, and its steps are not read aloud', async ({ freshRuntime, page }) => {
  const bulk = { id: 'bulk_1', action: 'delete', status: 'running', matched: 9_000, done: 120, failed: 3 }
  const counts = { queued: 0, running: 0, waiting: 0, cancelling: 0, completed: 9_000, failed: 0, cancelled: 0 }
  await page.route('**/v1/executions/counts*', (route) => route.fulfill({ json: { counts } }))
  await page.route(/\/v1\/bulk/, (route) => route.fulfill({ json: bulk }))
  await page.goto(`${freshRuntime.url}/settings`)
  await page.getByRole('button', { name: 'Delete…' }).click()
  await page.getByRole('button', { name: 'Delete 9,000 Executions' }).click()
  await expect(page.getByRole('progressbar', { name: 'Deleting' })).toHaveAttribute('aria-valuenow', '123')
  const steps = page.getByRole('status').filter({ hasText: 'Deleting: 123 of 9,000' })
  await expect(steps).toHaveAttribute('aria-busy', 'true')
  await axe(page)
})

test('a runtime on another port shows the setting for programs, and nothing moves while it is read', async ({
  freshRuntime,
  page,
}) => {
  const read = Promise.withResolvers<void>()
  await page.route(/\/v1\/(?:runtime|source)$/, async (route) => read.promise.then(() => route.continue()))
  await page.setViewportSize({ width: 390, height: 800 })
  await page.clock.install()
  await page.goto(`${freshRuntime.url}/settings`)
  const folder = page.getByRole('region', { name: 'Project folder' })
  const about = page.getByRole('region', { name: 'About' })
  await expect(page.getByText('Loading the runtime')).toBeVisible()
  await expect(folder.or(about)).toHaveCount(0)
  await page.clock.runFor(5_000)
  await expect(about, 'it does not wait for ever').toBeVisible()
  await page.reload()
  await expect(page.getByText('Loading the runtime')).toBeVisible()
  const moved = await watchShifts(page)
  read.resolve()
  await expect(page.getByRole('region', { name: 'Runtime' })).toContainText(`SERVICE_RUNTIME_URL=${freshRuntime.url}`)
  await expect(folder).toContainText(freshRuntime.projectFolder)
  expect(await moved()).toBeLessThan(0.005)
})

test('two tabs keep each other’s preferences', async ({ page, context }) => {
  await page.goto('/settings')
  const other = await context.newPage()
  await other.goto('/settings')
  const times = (tab: Page) => tab.getByRole('combobox', { name: 'Times' })
  const theme = (tab: Page) => tab.getByRole('combobox', { name: 'Theme' })
  const choose = async (tab: Page, box: Locator, option: string) => {
    await box.click()
    await tab.getByRole('option', { name: option }).click()
  }
  await choose(page, times(page), 'UTC')
  await expect(times(other)).toHaveText('UTC')
  await choose(other, theme(other), 'Dark')
  await page.reload()
  await expect(times(page)).toHaveText('UTC')
  await expect(theme(page)).toHaveText('Dark')
})

test('a disabled button has an accessible reason', async ({ page }) => {
  await page.goto('/settings')
  const reveal = page.getByRole('button', { name: 'Reveal' })
  await expect(reveal).toBeDisabled()
  await expect(reveal).toHaveAccessibleDescription(/Only the desktop app can do this/)
  await reveal.focus()
  await expect(reveal).toBeFocused()
})

test('the focus stays on a button that becomes disabled', async ({ client, deploy, page }) => {
  await deploy({
    format: 'wes.program/1',
    id: 'focus',
    program: { code: "({ run: (ctx) => ctx.waitForEvent('go') })" },
  })
  const { id } = await client.start('focus')
  await page.goto(`/executions/${id}`)
  const cancel = page.getByRole('main').getByRole('button', { name: 'Cancel execution' })
  await cancel.focus()
  await client.cancelExecution(id)
  await expect(cancel).toBeDisabled()
  await expect(cancel).toBeFocused()
})
