// A slow request: after ten seconds the page says what it waits for, and offers a retry.

import type { Page } from '@playwright/test'
import { expect, test } from './fixtures.ts'

const main = (page: Page) => page.getByRole('main')

/** Requests that are not answered until the test allows it. */
const swallow = async (page: Page, address: RegExp): Promise<() => void> => {
  let answers = false
  await page.route(address, (route) => (answers ? route.continue() : undefined))
  return () => {
    answers = true
  }
}

for (const [path, address, what] of [
  ['/programs', /\/local\/v1\/programs\?/, 'the Programs'],
  ['/executions', /\/local\/v1\/executions\?/, 'the Executions'],
  ['/errors', /\/local\/v1\/errors/, 'the errors'],
] as const) {
  test(`${path} repeats a request without an answer`, async ({ freshRuntime, page }) => {
    await page.clock.install()
    const answer = await swallow(page, address)
    await page.goto(freshRuntime.url + path)
    await expect(main(page).getByText(`Loading ${what}`)).toBeVisible()
    await page.clock.fastForward(10_000)
    await expect(main(page).getByText(`Still loading ${what}.`)).toBeVisible()
    answer()
    // At once: a read that the page makes by itself has an answer now, too.
    await main(page).getByRole('button', { name: 'Try again' }).dispatchEvent('click')
    await expect(main(page).getByText(/No Programs yet|No failures/)).toBeVisible()
  })
}
