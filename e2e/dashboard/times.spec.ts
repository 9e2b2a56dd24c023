import { expect, test } from './fixtures.ts'

const PROGRAM = {
  format: 'wes.program/1' as const,
  id: 'times',
  program: { code: "({ run: async (ctx) => ctx.waitForEvent('go', { timeout: '3 days' }) })" },
}

test('a time is copied as ISO 8601, alone and among other text', async ({ client, context, deploy, page }) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write'])
  await deploy(PROGRAM)
  const { id } = await client.start('times')
  await expect.poll(async () => (await client.getExecution(id)).status).toBe('waiting')
  const { startedAt } = await client.getExecution(id)
  await page.goto(`/executions/${id}`)
  const copy = async (selector: string): Promise<string> => {
    await page
      .locator(selector)
      .first()
      .evaluate((element) => getSelection()?.selectAllChildren(element))
    await page.keyboard.press('Control+c')
    return page.evaluate(() => navigator.clipboard.readText())
  }
  const started = page.locator('dl div', { hasText: 'Started' })
  await expect(started).toContainText('ago')
  expect(await copy(`time[datetime="${startedAt}"]`)).toBe(startedAt)
  const line = await copy('dl div:has-text("Started")')
  expect(line.replaceAll(/\s+/g, ' ')).toBe(`Started ${startedAt} (${startedAt})`)
})

test('a countdown shows its end in both zones', async ({ client, deploy, page }) => {
  await deploy(PROGRAM)
  const { id } = await client.start('times')
  await page.goto(`/executions/${id}`)
  await page.getByText(/^in 2 d 23 h/).hover()
  const hint = page.getByText(/^UTC$/).locator('..')
  await expect(hint).toContainText(/local\d{4}-\d\d-\d\d.*UTC\d{4}-\d\d-\d\d/)
})

test('ages, countdowns and relative filters are right when the clock of the browser is hours off', async ({
  client,
  deploy,
  page,
}) => {
  await deploy(PROGRAM)
  const { id } = await client.start('times')
  await page.clock.install({ time: Date.now() + 5 * 3_600_000 })
  await page.goto(`/executions/${id}`)
  await expect(page.getByText(/^in 2 d 23 h/)).toBeVisible()
  const started = page.locator('dl div', { hasText: 'Started' })
  await expect(started).toContainText(/\d+ s ago|just now/)
  await expect(page.getByRole('grid', { name: 'Timeline' })).not.toContainText(/\dh|\d h/)
  await page.goto('/executions?createdAfter=-1h')
  const row = page
    .getByRole('grid', { name: 'Executions' })
    .getByRole('row')
    .filter({ hasText: id.slice(-6) })
  await expect(row.first()).toContainText(/\d+ s ago|just now/)
})
