import { expect, test } from './fixtures.ts'

test('a screen is printed whole, without the navigation', async ({ page }) => {
  await page.setViewportSize({ width: 794, height: 500 })
  await page.goto('/settings')
  await expect(page.getByRole('heading', { name: 'About' })).toBeAttached()
  await page.emulateMedia({ media: 'print' })
  await expect(page.getByRole('navigation', { name: 'Main' })).toBeHidden()
  const hidden = await page
    .getByRole('main')
    .locator('.printed-whole')
    .evaluate(({ scrollHeight, clientHeight }) => scrollHeight - clientHeight)
  expect(hidden).toBe(0)
  const about = await page.getByRole('heading', { name: 'About' }).boundingBox()
  const height = await page.evaluate(() => document.documentElement.scrollHeight)
  expect(height).toBeGreaterThan(500)
  expect(about!.y).toBeLessThan(height)
  await page.goto('/executions')
  await expect(page.getByRole('heading', { name: 'Executions', level: 1 })).toBeVisible()
  await expect(page.getByRole('navigation', { name: 'Main' })).toBeHidden()
})
