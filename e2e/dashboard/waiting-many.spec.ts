// Hundreds of names that something waits for: the first page shows at once, the others come as the user scrolls.

import type { Locator } from '@playwright/test'
import { echo } from './dialogs.test-support.ts'
import { expect, test } from './fixtures.ts'
import { untilStatus } from './until-status.test-support.ts'

const NAMES = 450

test('the first waits show before others are read, which come as the list is scrolled', async ({
  freshRuntime: { client, url },
  page,
  allow,
}) => {
  const code = `({ run: (ctx) => Promise.all(Array.from({ length: ${NAMES} }, (_, n) => ctx.waitForEvent('event-' + (1000 + n)))) })`
  await client.deployProgram({ ...echo('waits-many'), program: { code } })
  const { id } = await client.start('waits-many')
  await untilStatus(client, id, 'waiting')

  let answers = false
  let asked = 0
  await page.route(/\/v1\/waiting\?.*cursor=/, (route) => {
    asked += 1
    return answers
      ? route.continue()
      : route.fulfill({ status: 500, json: { error: { code: 'internal_error', message: 'no luck' } } })
  })
  allow(/500/)
  await page.goto(`${url}/waiting`)
  const table = page.getByRole('table', { name: 'Waiting' })
  await expect(table.getByRole('link', { name: 'event-1000' })).toBeVisible()
  await expect(page.getByText('What Executions wait for, by kind and name')).toBeVisible()
  await expect(table).toHaveAttribute('aria-rowcount', '-1')
  expect(asked).toBe(0)

  await page.setViewportSize({ width: 400, height: 800 })
  const right = (part: Locator) => part.evaluate((one) => one.getBoundingClientRect().right)
  await expect(table.getByRole('columnheader', { name: 'Kind' })).toBeHidden()
  expect(await right(table.getByRole('columnheader', { name: 'Executions' })), 'the columns fill the table').toBe(
    await right(table),
  )

  const scrollDown = () => table.evaluate((element) => element.parentElement?.scrollBy(0, 100_000))
  await scrollDown()
  const failure = page.getByRole('alert').filter({ hasText: 'These rows could not be loaded: no luck' })
  await expect(failure).toBeVisible()
  answers = true
  await failure.getByRole('button', { name: 'Try again' }).click()
  await expect(failure).toHaveCount(0)
  await expect(async () => {
    await scrollDown()
    await expect(table.getByRole('link', { name: `event-${999 + NAMES}` })).toBeVisible({ timeout: 500 })
  }).toPass()
  await expect(table).toHaveAttribute('aria-rowcount', String(NAMES + 1))

  await page.goto(`${url}/executions/${id}`)
  const waits = page.getByRole('region', { name: 'Waiting for' })
  await expect(waits).toContainText(`and ${NAMES - 100} more, see the timeline`)
  await waits.getByRole('button', { name: 'Show 97 more' }).click()
  await expect(waits.getByRole('listitem')).toHaveCount(100)
})
