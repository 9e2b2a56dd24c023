// What waits does not wait without an end: after ten seconds it says what for, and offers a way out.

import type { Page } from '@playwright/test'
import { expect, test } from './fixtures.ts'

const main = (page: Page) => page.getByRole('main')

/** The first request for it is never answered; later ones are. */
const swallowFirst = async (page: Page, address: RegExp): Promise<void> => {
  let asked = 0
  await page.route(address, (route) => {
    asked += 1
    return asked === 1 ? undefined : route.continue()
  })
}

for (const [path, address, what] of [
  ['/programs', /\/local\/v1\/programs\?/, 'the Programs'],
  ['/executions', /\/local\/v1\/executions\?/, 'the Executions'],
  ['/errors', /\/local\/v1\/errors/, 'the errors'],
] as const) {
  test(`${path} asks again for what nobody answered`, async ({ freshRuntime, page }) => {
    await page.clock.install()
    await swallowFirst(page, address)
    await page.goto(freshRuntime.url + path)
    await expect(main(page).getByText(`Loading ${what}`)).toBeVisible()
    await page.clock.fastForward(10_000)
    await expect(main(page).getByText(`Still waiting for ${what}.`)).toBeVisible()
    await main(page).getByRole('button', { name: 'Try again' }).click()
    await expect(main(page).getByText(/No Programs yet|Nothing has failed/)).toBeVisible()
  })
}
