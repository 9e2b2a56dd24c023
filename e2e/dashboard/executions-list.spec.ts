// The list of Executions and its filters.

import type { Locator, Page } from '@playwright/test'
import { axe, DEMO, expect, grid, OTHER, row, shownIds, takeScreenshots, test } from './executions-list.test-support.ts'
import { untilStatus } from './until-status.test-support.ts'

test('each row shows an Execution’s status and its reason', async ({ project, page }) => {
  const failed = await project.start({ fail: 'card 12 declined\nat the bank' })
  const waiting = await project.start({ wait: 'approved' })
  const done = await project.start({ say: 'x' }, OTHER)
  const programs = Promise.withResolvers<void>()
  await page.route(/\/v1\/programs\?/, (route) => programs.promise.then(() => route.continue()))
  const rows = page.waitForResponse(/\/v1\/executions\?/)
  await page.goto('/executions')
  await (await rows).finished()
  await expect(grid(page), 'whose columns depend on the names of the Programs').toHaveCount(0)
  programs.resolve()
  await expect.poll(() => shownIds(page)).toEqual([done, waiting, failed])
  await expect(row(page, waiting)).toContainText(/waiting.*order-demo.*v1.*event approved/)
  await expect(row(page, failed).getByText('RangeError: card 12 declined', { exact: true })).toBeVisible()
  await expect(row(page, done)).toContainText(/completed.*report-demo/)
  await expect(grid(page)).toHaveAttribute('aria-rowcount', '4')
  await expect(page.getByRole('main')).toContainText('3 Executions')
})

test('statuses are toggles with counts, and the URL has the API’s names', async ({ project, page }) => {
  const failed = await project.start({ fail: 'x' })
  const waiting = await project.start({ wait: 'go' })
  await project.start({ say: 'x' })
  await page.goto('/executions')
  await page.getByRole('button', { name: 'failed 1' }).click()
  await expect(page).toHaveURL(/\?status=failed$/)
  await expect.poll(() => shownIds(page)).toEqual([failed])
  await page.getByRole('button', { name: 'waiting 1' }).click()
  await expect(page).toHaveURL(/\?status=failed&status=waiting$/)
  await expect.poll(() => shownIds(page)).toEqual([waiting, failed])
  await page.goBack()
  await expect.poll(() => shownIds(page)).toEqual([failed])
  await page.getByRole('button', { name: 'Remove Status is failed' }).click()
  await expect(page).toHaveURL(/\/executions$/)
  await expect(page.getByRole('main'), 'the focus, when the last filter is removed').toBeFocused()
  await expect.poll(async () => (await shownIds(page)).length).toBe(3)
})

test('a filter can be inverted', async ({ project, page }) => {
  const failed = await project.start({ fail: 'x' })
  const done = await project.start({ say: 'x' }, OTHER)
  await page.goto(`/executions?status=failed&programId=${DEMO}`)
  await expect.poll(() => shownIds(page)).toEqual([failed])
  await page.getByRole('button', { name: 'Status is failed: invert' }).click()
  await expect(page.getByRole('button', { name: 'Status is not failed: invert' })).toBeFocused()
  await page.getByRole('button', { name: `Program is ${DEMO}: invert` }).click()
  await expect(page).toHaveURL(/notStatus=failed/)
  await expect(page).toHaveURL(new RegExp(`notProgramId=${DEMO}`))
  await expect.poll(() => shownIds(page)).toEqual([done])
  await page.getByRole('button', { name: 'Clear filters' }).click()
  await expect.poll(() => shownIds(page)).toEqual([done, failed])
})

test('Programs, versions and times filter the list', async ({ project, page }) => {
  const demo = await project.start({ say: 'x' })
  await project.start({ say: 'x' }, OTHER)
  await page.goto('/executions')
  const program = page.getByRole('button', { name: 'Program: ' })
  const loads = Promise.withResolvers<void>()
  await page.route(/\/find-list/, async (route) => loads.promise.then(() => route.continue()))
  await program.press('Enter')
  await page.keyboard.type('st')
  loads.resolve()
  const find = page.getByRole('combobox', { name: 'Find a Program' })
  await expect(find).toBeFocused()
  await expect(find, 'what was typed while it loaded').toHaveValue('st')
  await find.clear()
  await expect(page.getByRole('option', { name: 'Any Program', selected: true })).toBeVisible()
  await axe(page)
  await page.keyboard.type('order')
  await expect(page.getByRole('option')).toHaveText([DEMO])
  await page.keyboard.press('Enter')
  await expect(program).toHaveAccessibleName(`Program: ${DEMO}`)
  await expect(program).toBeFocused()
  await expect.poll(() => shownIds(page)).toEqual([demo])
  await page.getByRole('button', { name: 'Version: Any version' }).click()
  await page.getByRole('option', { name: 'Version 1' }).click()
  await expect(page).toHaveURL(/version=1/)

  await page.route(/\/v1\/programs\?/, async (route) => {
    const json = (await (await route.fetch()).json()) as { items: { latestVersion: { number: number } }[] }
    for (const { latestVersion } of json.items) latestVersion.number = 1_300
    await route.fulfill({ json })
  })
  await page.reload()
  await page.getByRole('button', { name: 'Version: Version 1' }).click()
  const versions = page.getByRole('dialog', { name: 'Version' })
  await expect(versions).toContainText('The first 200 of 1301. Type to find the others.')
  await page.keyboard.type('1')
  await expect(versions).toContainText('Type more to find the others.')
  await page.keyboard.type('299')
  await expect(page.getByRole('option')).toHaveText(['Version 1299'])
  await expect(versions).not.toContainText('to find the others')
  await page.keyboard.press('Escape')

  await page.getByRole('combobox', { name: 'Started' }).click()
  await page.getByRole('option', { name: 'Last 15 minutes' }).click()
  await expect(page).toHaveURL(/createdAfter=-15m/)
  await expect(page.getByRole('list', { name: 'Filters' })).toContainText('Started in the last 15 min')
  await expect.poll(() => shownIds(page)).toEqual([demo])

  await page.getByRole('combobox', { name: 'Started' }).click()
  await page.getByRole('option', { name: 'Custom range' }).click()
  await page.getByRole('dialog').getByLabel('Before').fill('2020-01-01T00:00:00')
  await page.getByRole('button', { name: 'Apply' }).click()
  await expect(page).toHaveURL(/createdBefore=2020-01-01T00%3A00%3A00.000Z/)
  await expect(page.getByRole('heading', { name: 'No Execution matches' })).toBeVisible()
  await page.setViewportSize({ width: 345, height: 720 })
  await page.goto(`/executions?q=${'long%20'.repeat(20)}`)
  await expect(page.getByRole('button', { name: /^Remove Id or error/ })).toBeInViewport({ ratio: 1 })
})

test('text is searched in errors and ids, or excluded', async ({ project, page }) => {
  const declined = await project.start({ fail: 'card declined' })
  const broken = await project.start({ fail: 'out of paper' })
  await page.goto('/executions')
  const search = page.getByRole('searchbox')
  await search.fill('declined')
  await expect.poll(() => shownIds(page)).toEqual([declined])
  await page.getByRole('button', { name: 'Id or error has “declined”: invert' }).click()
  await expect(page).toHaveURL(/notQ=declined/)
  await expect.poll(() => shownIds(page)).toEqual([broken])
  await expect(search).toHaveValue('')
  await page.getByRole('button', { name: 'Clear filters' }).click()
  await search.fill(declined.slice(0, 30))
  await expect.poll(() => shownIds(page)).toEqual([declined])
})

test('going back empties the search box, which stays empty', async ({ project, page }) => {
  const broken = await project.start({ fail: 'out of paper' })
  await page.goto('/executions')
  const search = page.getByRole('searchbox')
  await page.getByRole('button', { name: 'failed 1' }).click()
  await page.getByRole('button', { name: 'waiting 0' }).click()
  await search.pressSequentially('declined')
  await expect(page).toHaveURL(/q=declined/)
  await page.goBack()
  await expect(page).toHaveURL(/\?status=failed$/)
  await expect(search).toHaveValue('')
  await search.blur()
  await expect.poll(() => shownIds(page)).toEqual([broken])
  await expect(page).toHaveURL(/\?status=failed$/)
})

test('a whole id opens its Execution, typed or pasted anywhere', async ({ project, page }) => {
  const id = await project.start({ say: 'x' })
  await page.goto('/executions')
  await page.getByRole('searchbox').fill(` ${id} `)
  await page.keyboard.press('Enter')
  await expect(page).toHaveURL(new RegExp(`/executions/${id}`))
  await page.goBack()
  await expect(row(page, id)).toBeVisible()
  await page.evaluate((text) => {
    const clipboardData = new DataTransfer()
    clipboardData.setData('text/plain', text)
    document.body.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true }))
  }, `${id}\n`)
  await expect(page).toHaveURL(new RegExp(`/executions/${id}`))
})

test('a whole id that is pasted into the search opens its Execution, whatever the filter', async ({
  project,
  page,
  context,
}) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write'])
  const id = await project.start({ say: 'x' })
  await page.goto('/executions?status=failed')
  await expect(page.getByRole('heading', { name: 'No Execution matches' })).toBeVisible()
  await page.evaluate((text) => navigator.clipboard.writeText(text), id)
  await page.getByRole('searchbox').focus()
  await page.keyboard.press('ControlOrMeta+v')
  await expect(page).toHaveURL(new RegExp(`/executions/${id}`))
  await page.goBack()
  await expect(page).toHaveURL(/\?status=failed$/)
  await expect(page.getByRole('searchbox')).toHaveValue('')
})

test('what needs attention is one click away', async ({ project, page }) => {
  const failed = await project.start({ fail: 'x' })
  await project.start({ say: 'x' })
  await page.goto('/executions')
  await page.getByRole('button', { name: 'Needs attention 1' }).click()
  await expect(page).toHaveURL(/\?needsAttention=true$/)
  await expect.poll(() => shownIds(page)).toEqual([failed])
})

test('filters are remembered per project until they are cleared', async ({ runtime, project, page }) => {
  const failed = await project.start({ fail: 'x' })
  const done = await project.start({ say: 'x' })
  const other = await runtime.client.createProject({ name: `beside ${project.name}` })
  await page.goto('/executions')
  await page.getByRole('button', { name: 'failed 1' }).click()
  await expect.poll(() => shownIds(page)).toEqual([failed])
  await page.getByRole('link', { name: 'Programs' }).click()
  await expect(page).toHaveURL(/\/programs$/)
  await page.getByRole('link', { name: 'Executions', exact: true }).click()
  await expect(page).toHaveURL(/\?status=failed$/)
  await expect.poll(() => shownIds(page)).toEqual([failed])

  await choose(page, other.name)
  await expect(page.getByRole('heading', { name: 'No Programs yet' })).toBeVisible()
  await expect(page).toHaveURL(/\/executions$/)
  await choose(page, project.name)
  await expect(page).toHaveURL(/\?status=failed$/)
  await expect.poll(() => shownIds(page)).toEqual([failed])
  await page.getByRole('button', { name: 'Clear filters' }).click()
  await expect.poll(() => shownIds(page)).toEqual([done, failed])
  await page.reload()
  await expect.poll(() => shownIds(page)).toEqual([done, failed])
})

const choose = async (page: Page, name: string): Promise<void> => {
  await page.getByRole('button', { name: /^Project: / }).click()
  await page.getByRole('option', { name, exact: true }).click()
}

test('other screens link here with waits as filters', async ({ project, page }) => {
  const waiting = await project.start({ wait: 'approved' })
  await project.start({ wait: 'paid' })
  await page.goto('/executions?waitingKind=event&waitingName=approved')
  await expect.poll(() => shownIds(page)).toEqual([waiting])
  await expect(page.getByRole('list', { name: 'Filters' })).toContainText('Waits for event approved')
})

test('a Program’s screen lists its Executions, with filters in the URL', async ({ project, page }) => {
  const failed = await project.start({ fail: 'x' })
  await project.start({ say: 'x' }, OTHER)
  const done = await project.start({ say: 'x' })
  await page.goto(`/programs/${DEMO}?tab=executions`)
  await expect.poll(() => shownIds(page)).toEqual([done, failed])
  await page.getByRole('button', { name: 'failed 1' }).click()
  await expect(page).toHaveURL(/tab=executions&status=failed$/)
  await expect.poll(() => shownIds(page)).toEqual([failed])
  await expect(grid(page).getByRole('columnheader', { name: 'Program' })).toHaveCount(0)
  await page.getByRole('tab', { name: 'Versions', exact: true }).click()
  await expect(page.getByRole('table', { name: 'Versions' })).toBeVisible()
  // A tab is a step of the browser's history, as on an Execution's screen.
  await page.goBack()
  await expect(page).toHaveURL(/status=failed/)
  await expect.poll(() => shownIds(page)).toEqual([failed])
  await page.goForward()
  await page.getByRole('tab', { name: 'Executions' }).click()
  await expect(page).toHaveURL(/status=failed/)
  await expect.poll(() => shownIds(page)).toEqual([failed])
})

test('the number of matches is announced once per filter', async ({ project, page }) => {
  await project.start({ fail: 'x' })
  await page.goto('/executions')
  await page.getByRole('button', { name: 'failed 1' }).click()
  await expect(page.getByRole('status').filter({ hasText: '1 Execution matches' })).toBeAttached()
})

test('the menu of a row has its actions', async ({ project, page, context }) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write'])
  const id = await project.start({ say: 'x' })
  await page.goto('/executions')
  await page.getByRole('button', { name: `Actions for ${id}` }).click()
  await expect(page.getByRole('menuitem', { name: 'Send event' })).toHaveAttribute('aria-disabled', 'true')
  await expect(page.getByRole('menuitem', { name: 'Cancel execution' })).toHaveAttribute('aria-disabled', 'true')
  await expect(page.getByRole('menuitem', { name: 'Delete' })).not.toHaveAttribute('aria-disabled', 'true')
  await page.getByRole('menuitem', { name: 'Copy id' }).click()
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(id)
  await row(page, id).click({ button: 'right' })
  await page.getByRole('menuitem', { name: 'Hide this Program' }).click()
  await expect(page).toHaveURL(new RegExp(`notProgramId=${DEMO}`))
  await page.getByRole('button', { name: 'Clear filters' }).first().click()
  const link = row(page, id).getByRole('link')
  await row(page, id).getByText('completed').click({ button: 'right' })
  await page.keyboard.press('Escape')
  await expect(link).toBeFocused()
  await row(page, id).getByText('completed').click({ button: 'right' })
  await page.getByRole('menuitem', { name: 'Delete' }).click()
  await expect(page.getByRole('dialog')).toBeVisible()
  await page.keyboard.press('Escape')
  await expect(link).toBeFocused()
  await row(page, id).getByText('completed').click()
  await expect(page).toHaveURL(new RegExp(`/executions/${id}`))
})

test('a click on a row with Ctrl or the middle button opens a tab, as on its link', async ({
  project,
  page,
  context,
}) => {
  const id = await project.start({ say: 'x' })
  await page.goto('/executions')
  const status = row(page, id).getByText('completed')
  for (const how of [{ modifiers: ['ControlOrMeta' as const] }, { button: 'middle' as const }]) {
    const opened = context.waitForEvent('page')
    await status.click(how)
    await expect(await opened).toHaveURL(new RegExp(`/executions/${id}$`))
    await expect(page).toHaveURL(/\/executions$/)
  }
  // On Windows the middle button would begin to scroll.
  const press = { button: 1, bubbles: true, cancelable: true }
  expect(await status.evaluate((cell, init) => cell.dispatchEvent(new MouseEvent('mousedown', init)), press)).toBe(
    false,
  )
  await status.click()
  await expect(page).toHaveURL(new RegExp(`/executions/${id}$`))
})

test('it is accessible in both themes', async ({ project, page }) => {
  await project.start({ fail: 'The card of order A-1 was declined: insufficient funds' })
  const cancelled = await project.start({ wait: 'approved' })
  await project.client.cancelExecution(cancelled)
  await untilStatus(project.client, cancelled, 'cancelled')
  for (const wait of ['approved', 'paid']) await project.start({ wait })
  for (let n = 0; n < 5; n++) await project.start({ say: 'x' }, n % 2 === 0 ? DEMO : OTHER)
  await page.goto('/executions?createdAfter=-7d')
  await expect(grid(page).getByRole('row')).toHaveCount(10)
  await page.getByRole('checkbox').nth(2).check()
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme })
    await axe(page)
  }
  await takeScreenshots(page, 'executions')
})

test('headers and times are not cut, and headers are aligned with their cells, also after a resize', async ({
  project,
  page,
}) => {
  const id = await project.start({ wait: 'approved' })
  await project.start({ say: 'x' }, OTHER)
  await page.setViewportSize({ width: 1440, height: 800 })
  await page.goto('/executions')
  await expect(row(page, id)).toBeVisible()
  for (const [width, shown] of [
    [1440, 10],
    [1200, 9],
    [1024, 8],
    [420, 5],
  ] as const) {
    await page.setViewportSize({ width, height: 800 })
    await expect(grid(page).getByRole('columnheader'), `columns at ${width}`).toHaveCount(shown)
    expect(await cutOrOff(page), `at ${width}`).toEqual([])
    expect(await grid(page).evaluate((one) => one.scrollWidth - one.clientWidth), `overflow at ${width}`).toBe(0)
    await expect(row(page, id).getByRole('link')).toHaveAttribute('title', id)
  }
  await page.goto(`/executions?programId=${OTHER}`)
  await page.setViewportSize({ width: 960, height: 800 })
  await expect(row(page, id)).toBeHidden()
  expect(await linesOf(page.getByRole('search').locator('..')), 'controls at 960').toBe(1)
  expect(await linesOf(page.getByRole('group', { name: 'Status' })), 'statuses at 960').toBe(1)
})

/** How many lines the children of an element take, without the invisible field of a select. */
const linesOf = (element: Locator): Promise<number> =>
  element.evaluate(({ children }) => {
    const boxes = [...children].map((child) => child.getBoundingClientRect()).filter(({ height }) => height > 1)
    return new Set(boxes.map(({ y, height }) => Math.round(y + height / 2))).size
  })

/** Headers that are cut or not aligned with their cells, and times that are cut. */
const cutOrOff = (page: Page): Promise<readonly string[]> =>
  grid(page).evaluate((one) => {
    const headers = [...one.querySelectorAll('[role=columnheader]')]
    const isCut = (element: Element) => element.scrollWidth > element.clientWidth
    return [...one.querySelectorAll('[role=row]')].slice(1).flatMap((line) =>
      [...line.children].flatMap((cell, at) => {
        const header = headers[at]!
        const name = header.textContent
        const beside = header.getBoundingClientRect().left - cell.getBoundingClientRect().left
        return [
          ...(isCut(header) ? [`${name} is cut`] : []),
          ...(beside === 0 ? [] : [`${name} is ${beside} px beside its cell`]),
          ...(isCut(cell) && /Started|Duration|Status/.test(name) ? [`${cell.textContent} is cut`] : []),
        ]
      }),
    )
  })

test('rows show an Execution’s input, and its screen shows input and result at once', async ({
  deploy,
  client,
  page,
}) => {
  await deploy({
    format: 'wes.program/1',
    id: 'list-inputs',
    program: { code: '({ run: async (ctx, input) => ({ greeted: input.customer.name }) })' },
  })
  const handle = await client.start('list-inputs', { orderId: 'o-77', customer: { name: 'Ada' } })
  await handle.result()
  for (const width of [1440, 1024, 420]) {
    await page.setViewportSize({ width, height: 800 })
    await page.goto('/executions?programId=list-inputs')
    const row = grid(page).getByRole('row').filter({ hasText: handle.id })
    await expect(row.getByText('orderId: o-77, customer: {name: Ada}')).toBeInViewport()
    if (width > 1024) await expect(row.getByRole('gridcell').nth(-2)).toHaveText(/m?s$/)
    expect(await grid(page).evaluate((one) => one.scrollWidth - one.clientWidth), `overflow at ${width}`).toBe(0)
  }
  // A phone has room for one of the two.
  await page.goto('/executions')
  await expect(grid(page).getByRole('columnheader', { name: 'Program' })).toBeInViewport()
  await expect(grid(page).getByRole('columnheader', { name: 'Input' })).toHaveCount(0)
  await page.goto(`/executions/${handle.id}`)
  const values = page.getByRole('region', { name: 'Input and result' })
  await expect(values).toContainText('{"orderId": "o-77", "customer": {"name": "Ada"}}')
  await expect(values).toContainText('{"greeted": "Ada"}')
  await values.getByRole('button', { name: 'Result' }).click()
  await expect(page.getByRole('tab', { name: 'Data' })).toHaveAttribute('aria-selected', 'true')
})
