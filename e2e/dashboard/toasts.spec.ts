// Toasts: few at a time, merged when they say the same, and never over the buttons of a dialog.

import type { Locator, Page } from '@playwright/test'
import { echo, order } from './dialogs.test-support.ts'
import { expect, test } from './fixtures.ts'

const toasts = (page: Page): Locator => page.getByRole('region', { name: 'Notifications' }).getByRole('group')

const openStart = async (page: Page, programId: string): Promise<Locator> => {
  await page.goto(`/programs/${programId}`)
  await page.getByRole('button', { name: 'Start execution' }).click()
  return page.getByRole('dialog', { name: 'Start execution' })
}

const copyAs = async (dialog: Locator, what: string): Promise<void> => {
  await dialog.getByRole('button', { name: 'Copy as' }).click()
  await dialog.page().getByRole('menuitem', { name: what }).click()
}

test.beforeEach(({ context }) => context.grantPermissions(['clipboard-read', 'clipboard-write']))

test('toasts that say the same are one, and three are shown at most', async ({ deploy, page }) => {
  await deploy(echo('toasts-many'))
  const dialog = await openStart(page, 'toasts-many')
  for (let times = 0; times < 3; times++) await copyAs(dialog, 'curl')
  await expect(toasts(page)).toHaveCount(1)
  await expect(toasts(page)).toContainText('Copied as curl')
  await expect(toasts(page)).toContainText('3 times')
  for (const what of ['TypeScript', 'Rust', 'CLI']) await copyAs(dialog, what)
  await expect(toasts(page).filter({ visible: true })).toHaveCount(3)
  await expect(toasts(page).filter({ visible: true }).first()).toContainText('Copied as CLI')
})

test('toasts that say different things of the same kind are both shown, and one tells of a refused copy', async ({
  deploy,
  client,
  page,
}) => {
  await deploy(echo('toasts-ids'))
  const ids = [(await client.start('toasts-ids')).id, (await client.start('toasts-ids')).id]
  await page.goto('/executions?programId=toasts-ids')
  for (const id of ids) {
    await page.getByRole('button', { name: `Actions for ${id}` }).click()
    await page.getByRole('menuitem', { name: 'Copy id' }).click()
  }
  for (const id of ids) await expect(toasts(page).filter({ hasText: id })).toHaveText(`Copied${id}`)

  await page.goto(`/executions/${ids[0]}`)
  await page.evaluate(() => {
    navigator.clipboard.writeText = () => Promise.reject(new Error('not allowed'))
  })
  await page.getByRole('button', { name: 'Copy the id' }).click()
  const region = page.getByRole('region', { name: 'Notifications' })
  await expect(region.getByText('The browser refused to copy').first()).toBeVisible()
})

for (const size of [
  { width: 420, height: 800 },
  { width: 1024, height: 768 },
  { width: 420, height: 420 },
]) {
  test(`a toast covers no button of a dialog at ${size.width}×${size.height}`, async ({ deploy, page }) => {
    await page.setViewportSize(size)
    await deploy(order('toasts-dialog'))
    const dialog = await openStart(page, 'toasts-dialog')
    for (const what of ['curl', 'TypeScript', 'Rust']) await copyAs(dialog, what)
    const toast = toasts(page).filter({ hasText: 'Copied as Rust' })
    await expect(toast).toBeVisible()
    const frame = async () => (await dialog.boundingBox())!
    // At one moment: a toast may go at any time.
    const topOfToasts = () =>
      toasts(page)
        .filter({ visible: true })
        .evaluateAll((all) => Math.min(...all.map((one) => one.getBoundingClientRect().top)))
    await expect.poll(async () => (await frame()).y + (await frame()).height - (await topOfToasts())).toBeLessThan(0)
    await dialog.getByRole('button', { name: 'Close' }).last().click()
    await expect(dialog).toHaveCount(0)
  })
}
