// A list of thousands: only visible rows exist, and every row can be reached.

import type { Locator, Page } from '@playwright/test'
import { seedExecutions } from '../../bench/seed-executions.ts'
import type { DashboardRuntime } from './dashboard-runtime.ts'
import { expect, grid, openProject, shownIds, test } from './executions-list.test-support.ts'

const EXECUTIONS = 3_000

/** Starts the runtime again with these many Executions, spread over a day. */
const seed = async (runtime: DashboardRuntime, executions: number): Promise<void> => {
  await runtime.stop()
  await seedExecutions({
    dataDir: runtime.dataDir,
    executions,
    historyEntries: 0,
    historyCommands: 0,
    spreadMs: 86_400_000,
  })
  await runtime.start()
}

test('thousands of rows scroll to the last, and back', async ({ freshRuntime, page }) => {
  await seed(freshRuntime, EXECUTIONS)
  const { client } = freshRuntime
  await page.goto(`${freshRuntime.url}/executions`)
  const [newest] = (await client.listExecutions({ limit: 1 })).items
  await expect.poll(async () => (await shownIds(page))[0]).toBe(newest?.id)
  await expect(grid(page)).toHaveAttribute('aria-rowcount', String(EXECUTIONS + 1))
  expect(await grid(page).getByRole('row').count()).toBeLessThan(80)

  await page.keyboard.press('j')
  await page.keyboard.press('End')
  const last = grid(page).locator(`[aria-rowindex="${EXECUTIONS + 1}"]`)
  await expect(last.getByRole('link')).toBeFocused()
  const oldest = await last.getByRole('rowheader').textContent()
  let cursor: string | null = null
  let items: readonly { readonly id: string }[] = []
  do {
    const answer: Awaited<ReturnType<typeof client.listExecutions>> = await client.listExecutions({
      limit: 200,
      cursor,
    })
    items = answer.items
    cursor = answer.nextCursor
  } while (cursor !== null)
  expect(oldest).toBe(items.at(-1)?.id)

  await page.keyboard.press('PageUp')
  await expect(page.getByRole('link', { name: oldest ?? '' })).not.toBeFocused()
  await page.keyboard.press('Home')
  await expect(grid(page).getByRole('link', { name: newest?.id ?? '' })).toBeFocused()

  // From the first row to one that was not visible when the first was selected.
  await grid(page)
    .getByRole('checkbox', { name: `Select ${newest?.id}` })
    .click()
  const here = grid(page)
    .getByRole('row')
    .filter({ has: page.locator('[data-row-focus]:focus') })
  const placeNow = async () => Number(await here.getAttribute('aria-rowindex'))
  let place = 2
  for (let pages = 0; pages < 20; pages++) {
    const before = place
    await page.keyboard.press('PageDown')
    await expect.poll(placeNow).toBeGreaterThan(before)
    place = await placeNow()
  }
  expect(place).toBeGreaterThan(250)
  await here.getByRole('checkbox').click({ modifiers: ['Shift'] })
  await expect(page.getByRole('region', { name: 'Selection' })).toContainText(`${place - 1} selected`)
})

test('a range over pages that are no longer in memory is selected, beside what is selected meanwhile', async ({
  freshRuntime,
  page,
}) => {
  await seed(freshRuntime, EXECUTIONS)
  await page.goto(`${freshRuntime.url}/executions`)
  const checkbox = (index: number) => grid(page).locator(`[aria-rowindex="${index}"]`).getByRole('checkbox')
  await checkbox(2).click()
  await page.keyboard.press('j')
  await page.keyboard.press('End')
  await expect(checkbox(EXECUTIONS + 1)).toBeVisible()
  const answer = Promise.withResolvers<void>()
  const later = /\/v1\/executions\?.*cursor=/
  await page.route(later, async (route) => {
    await answer.promise
    await route.continue()
  })
  const asked = page.waitForRequest(later)
  await checkbox(EXECUTIONS).click({ modifiers: ['Shift'] })
  await asked
  await checkbox(EXECUTIONS + 1).click()
  const selection = page.getByRole('region', { name: 'Selection' })
  await expect(selection).toContainText('2 selected')
  answer.resolve()
  await expect(selection).toContainText('3,000 selected')
})

test('rows that cannot be read are reported, and read when possible', async ({ freshRuntime, page, allow }) => {
  allow(/status of 500/)
  await seed(freshRuntime, 400)
  const later = /\/v1\/executions\?.*cursor=/
  await page.route(later, (route) =>
    route.fulfill({ status: 500, json: { error: { code: 'internal', message: 'The disk hums' } } }),
  )
  await page.goto(`${freshRuntime.url}/executions`)
  await expect(grid(page).getByRole('link').first()).toBeVisible()
  await grid(page).evaluate((element) => (element.scrollTop = 6_000))
  const alert = page.getByRole('alert')
  await expect(alert).toContainText('The disk hums')
  const again = alert.getByRole('button', { name: 'Try again' })
  await Promise.all([page.waitForRequest(later), again.click()])
  await expect(alert).toContainText('The disk hums')
  await page.unroute(later)
  // The list also reads them by itself, after a change: then there is nothing to click any more.
  await again.click({ timeout: 5_000 }).catch(() => undefined)
  await expect(grid(page).locator('[aria-rowindex="195"]').getByRole('link')).toBeVisible()
  await expect(alert).toHaveCount(0)
})

for (const { rows, topPx } of [
  { rows: 'in sight', topPx: 6_400 },
  { rows: 'not read yet', topPx: 0 },
]) {
  test(`rows ${rows} are read anew when the service no longer knows where their pages begin`, async ({
    freshRuntime,
    page,
    allow,
  }) => {
    allow(/status of 400/)
    await seed(freshRuntime, 400)
    const { start } = await openProject(freshRuntime.url)
    const cursors = new Set<string | null>()
    let isRestored = false
    // As of a service whose store was restored: it refuses the cursors that it gave before.
    await page.route(/\/v1\/executions\?(?!.*againOf)/, async (route) => {
      const cursor = new URL(route.request().url()).searchParams.get('cursor')
      if (isRestored && cursors.has(cursor)) {
        return route.fulfill({ status: 400, json: { error: { code: 'invalid_request', message: 'Not of this list' } } })
      }
      const answer = await route.fetch()
      if (!isRestored) cursors.add(((await answer.json()) as { readonly nextCursor: string | null }).nextCursor)
      return route.fulfill({ response: answer })
    })
    const linkOf = (index: number) => grid(page).locator(`[aria-rowindex="${index}"]`).getByRole('link')
    const show = (px: number) => grid(page).evaluate((element, top) => (element.scrollTop = top), px)
    await page.goto(`${freshRuntime.url}/executions`)
    await linkOf(2).hover()
    await show(topPx)
    await expect(linkOf(topPx / 32 + 5)).toBeVisible()
    isRestored = true
    await start({ say: 'x' })
    if (topPx === 0) await expect(page.getByRole('button', { name: '1 new' })).toBeVisible()
    await show(6_400)
    const { nextCursor } = await freshRuntime.client.listExecutions({ limit: 200 })
    await expect(linkOf(205)).toHaveText(
      (await freshRuntime.client.listExecutions({ limit: 50, cursor: nextCursor })).items[3]!.id,
    )
    await expect(grid(page)).toHaveAttribute('aria-rowcount', '402')
    await expect(page.getByRole('alert')).toHaveCount(0)
    // The runtime ends with the test, while the list may still be read.
    await page.unrouteAll({ behavior: 'ignoreErrors' })
  })
}

test('going back restores the scroll position', async ({ freshRuntime, page }) => {
  await seed(freshRuntime, 600)
  await page.goto(`${freshRuntime.url}/executions`)
  await expect(grid(page).getByRole('link').first()).toBeVisible()
  await grid(page).evaluate((element) => (element.scrollTop = 9_000))
  const there = grid(page).locator('[aria-rowindex="290"]')
  const id = await there.getByRole('rowheader').textContent()
  await there.getByRole('link').click()
  await expect(page).toHaveURL(new RegExp(`/executions/${id}`))
  await page.goBack()
  await expect(grid(page).getByRole('link', { name: id ?? '' })).toBeInViewport()
})

const seededList = async (runtime: DashboardRuntime, page: Page): Promise<Locator> => {
  await seed(runtime, 600)
  await page.goto(`${runtime.url}/executions`)
  await expect(grid(page).getByRole('link').first()).toBeVisible()
  await grid(page).evaluate((element) => (element.scrollTop = 9_000))
  const there = grid(page).locator('[aria-rowindex="290"]')
  await expect(there.getByRole('link')).toBeVisible()
  return there
}

const topOf = (page: Page) => grid(page).evaluate((element) => element.scrollTop)

for (const way of ['mouse', 'keyboard'] as const) {
  test(`going back focuses the row that was opened by ${way}, where it was`, async ({ freshRuntime, page }) => {
    const there = await seededList(freshRuntime, page)
    const id = (await there.getByRole('rowheader').textContent()) ?? ''
    if (way === 'mouse') await there.getByRole('gridcell').nth(2).click()
    else {
      await there.getByRole('checkbox').click()
      await page.keyboard.press('Enter')
      await page.keyboard.press('k')
      await page.keyboard.press('j')
      await page.keyboard.press('Enter')
    }
    await expect(page).toHaveURL(new RegExp(`/executions/${id}`))
    await page.getByRole('tab', { name: 'Data' }).click()
    await expect(page).toHaveURL(/tab=data/)
    await page.getByRole('link', { name: 'Back to the list' }).click()
    const opened = grid(page).getByRole('link', { name: id })
    await expect(opened).toBeFocused()
    await expect(opened).toBeInViewport()
    expect(await topOf(page)).toBe(9_000)
    await page.keyboard.press('Enter')
    await expect(page).toHaveURL(new RegExp(`/executions/${id}`))
    await expect(page.getByRole('tab', { name: 'Data' })).toBeVisible()
    await page.goBack()
    await expect(opened).toBeFocused()
    expect(await topOf(page)).toBe(9_000)
    await page.keyboard.press('j')
    await expect(grid(page).locator('[aria-rowindex="291"]').getByRole('link')).toBeFocused()
  })
}

test('the list stays where it is when the selection of a row far above is cleared', async ({ freshRuntime, page }) => {
  await seededList(freshRuntime, page)
  await grid(page).evaluate((element) => (element.scrollTop = 3_800))
  const above = grid(page).locator('[aria-rowindex="125"]')
  await above.getByRole('checkbox').click()
  await grid(page).evaluate((element) => (element.scrollTop = 8_000))
  await expect(above).not.toBeInViewport()
  await page.getByRole('button', { name: 'Clear the selection' }).click()
  await expect(page.getByRole('region', { name: 'Selection' })).toHaveCount(0)
  await expect(above.getByRole('link')).toBeFocused()
  expect(await topOf(page)).toBe(8_000)
})

test('a reload keeps the place, the row and the selection', async ({ freshRuntime, page }) => {
  const there = await seededList(freshRuntime, page)
  const id = (await there.getByRole('rowheader').textContent()) ?? ''
  await there.getByRole('checkbox').click()
  const selection = page.getByRole('region', { name: 'Selection' })
  await expect(selection).toContainText('1 selected')
  await page.reload()
  await expect(grid(page).getByRole('link', { name: id })).toBeFocused()
  expect(await topOf(page)).toBe(9_000)
  await expect(selection).toContainText('1 selected')
  await expect(grid(page).getByRole('checkbox', { name: `Select ${id}` })).toBeChecked()
})

test('the Executions of a Program are where they were after a look at another tab', async ({ freshRuntime, page }) => {
  await seed(freshRuntime, 1_200)
  await page.goto(`${freshRuntime.url}/programs/order-approval?tab=executions`)
  await expect(grid(page).getByRole('link').first()).toBeVisible()
  await grid(page).evaluate((element) => (element.scrollTop = 3_000))
  const there = grid(page).locator('[aria-rowindex="100"]')
  await there.getByRole('checkbox').click()
  await page.getByRole('tab', { name: 'Versions' }).click()
  await expect(page.getByRole('table', { name: 'Versions' })).toBeVisible()
  await page.getByRole('tab', { name: 'Executions' }).click()
  await expect(there.getByRole('checkbox')).toBeChecked()
  expect(await topOf(page)).toBe(3_000)
  await there.getByRole('link').click()
  await page.getByRole('link', { name: 'Back to the list' }).click()
  await expect(page).toHaveURL(/programs\/order-approval\?tab=executions/)
  await expect(there.getByRole('link')).toBeFocused()
  expect(await topOf(page)).toBe(3_000)
})

test('going back shows what changed meanwhile, in rows far below, in sight or not', async ({ freshRuntime, page }) => {
  await seed(freshRuntime, 900)
  // Without changes that come late, what is read on the way back is all that the list shows.
  await page.route(/\/v1\/changes/, () => {})
  await page.goto(`${freshRuntime.url}/executions`)
  await expect(grid(page).getByRole('link').first()).toBeVisible()
  const scrollTo = (top: number) => grid(page).evaluate((element, to) => (element.scrollTop = to), top)
  const row = (index: number) => grid(page).locator(`[aria-rowindex="${index}"]`)
  const idOf = async (index: number) => (await row(index).getByRole('rowheader').textContent()) ?? ''

  await scrollTo(24_000)
  const unseen = await idOf(760)
  await scrollTo(9_000)
  const seen = await idOf(292)
  await row(290).getByRole('link').click()
  await expect(page).toHaveURL(/\/executions\/exe_/)
  for (const id of [seen, unseen]) await freshRuntime.client.deleteExecution(id)
  await page.goBack()
  await expect(row(292)).toContainText(`${seen}, no longer in this list`)
  await scrollTo(24_000)
  await expect(row(760).getByRole('link')).toBeVisible()
  await expect(grid(page).getByRole('link', { name: unseen })).toHaveCount(0)
})
