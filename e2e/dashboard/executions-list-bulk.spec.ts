// Bulk actions.

import { axe, DEMO, expect, grid, row, shownIds, takeScreenshots, test } from './executions-list.test-support.ts'
import { untilStatus } from './until-status.test-support.ts'

const COUNTS = /\/v1\/executions\/counts/

test('the selected Executions are cancelled, after a confirmation with their number', async ({ project, page }) => {
  const ids = []
  for (let n = 0; n < 4; n++) ids.push(await project.start({ wait: 'go' }))
  const ended = await project.start({ say: 'x' })
  await page.goto('/executions')
  await page.getByRole('checkbox', { name: `Select ${ended}` }).check()
  await page.getByRole('checkbox', { name: `Select ${ids[1]}` }).click({ modifiers: ['Shift'] })
  const bar = page.getByRole('region', { name: 'Selection' })
  await expect(bar).toContainText('4 selected')
  await bar.getByRole('button', { name: 'Cancel executions' }).click()
  const question = page.getByRole('dialog', { name: 'Cancel 4 Executions?' })
  await expect(question, 'what screen readers say when it opens').toHaveAccessibleDescription(/\w/)
  await axe(page)
  await page.keyboard.press('ControlOrMeta+Enter')
  await expect(page.getByRole('region', { name: 'Bulk action' })).toContainText('Cancelled 3 of 4; 1 had ended before')
  await expect(bar).toHaveCount(0)
  for (const id of ids.slice(1)) await untilStatus(project.client, id, 'cancelled')
  expect((await project.client.getExecution(ids[0]!)).status).toBe('waiting')
  await expect(row(page, ids[3]!)).toContainText('cancelled')
  await page.getByRole('button', { name: 'Show them' }).click()
  await expect(page).toHaveURL(/\?status=cancelled&finishedAfter=/)
  await expect.poll(() => shownIds(page)).toEqual(ids.slice(1).toReversed())
  await page.getByRole('button', { name: 'Dismiss' }).click()
  await expect(page.getByRole('region', { name: 'Bulk action' })).toHaveCount(0)
})

test('a double click on the confirmation does not open the row below it', async ({ project, page }) => {
  for (let n = 0; n < 8; n++) await project.start({ wait: 'go' })
  await page.goto('/executions')
  await page.getByRole('checkbox', { name: 'Select all that match' }).check()
  await page.getByRole('button', { name: 'Cancel executions' }).click()
  const question = page.getByRole('dialog', { name: 'Cancel 8 Executions?' })
  const { x, y, width, height } = (await question.getByRole('button', { name: 'Cancel 8 Executions' }).boundingBox())!
  await page.mouse.move(x + width / 2, y + height / 2)
  await page.mouse.down({ clickCount: 1 })
  await page.mouse.up({ clickCount: 1 })
  await expect(question).toBeHidden()
  await page.mouse.down({ clickCount: 2 })
  await page.mouse.up({ clickCount: 2 })
  await expect(page.getByRole('region', { name: 'Bulk action' })).toContainText('Cancelled 8 of 8')
  await expect(page.getByRole('heading', { name: 'Executions', level: 1 })).toBeVisible()
  await page.mouse.down()
  await page.mouse.up()
  await expect(page.getByRole('heading', { name: 'Executions', level: 1 }), 'a click on a row').toBeHidden()
})

test('nothing happens without the confirmation', async ({ project, page }) => {
  const id = await project.start({ wait: 'go' })
  await page.goto('/executions')
  await page.getByRole('checkbox', { name: `Select ${id}` }).check()
  await page.getByRole('region', { name: 'Selection' }).getByRole('button', { name: 'Cancel executions' }).click()
  const goBack = page.getByRole('button', { name: 'Go back' })
  await expect(goBack, 'as in other questions, Enter changes nothing').toBeFocused()
  await page.keyboard.press('Enter')
  await expect(page.getByRole('region', { name: 'Selection' })).toContainText('1 selected')
  expect((await project.client.getExecution(id)).status).toBe('waiting')

  await test.step('who has left the screen before it was counted is not asked', async () => {
    await page.getByRole('checkbox', { name: 'Select all that match' }).click()
    await page.getByRole('checkbox', { name: 'Select all that match' }).check()
    const counted = Promise.withResolvers<void>()
    await page.route(COUNTS, async (route) => {
      await counted.promise
      await route.continue()
    })
    const asked = page.waitForRequest(COUNTS)
    await page.getByRole('region', { name: 'Selection' }).getByRole('button', { name: 'Cancel executions' }).click()
    const answer = (await asked).response()
    await page.getByRole('link', { name: 'Programs' }).click()
    await expect(page.getByRole('table', { name: 'Programs' })).toBeVisible()
    counted.resolve()
    await (await answer)?.finished()
    await page.keyboard.press('Control+k')
    await expect(page.getByRole('dialog')).toHaveAccessibleName('Command palette')
  })
})

test('who clears the selection by its button goes on in the list', async ({ project, page }) => {
  const id = await project.start({ say: 'x' })
  await page.goto('/executions')
  await page.getByRole('checkbox', { name: `Select ${id}` }).check()
  await page.getByRole('button', { name: 'Clear the selection' }).press('Enter')
  await expect(page.getByRole('region', { name: 'Selection' })).toHaveCount(0)
  await expect(row(page, id).getByRole('link', { name: id })).toBeFocused()
})

test('only all matches are deleted', async ({ project, page }) => {
  for (let n = 0; n < 3; n++) await project.start({ fail: `broken ${n}` })
  const kept = await project.start({ say: 'x' })
  await page.goto('/executions?status=failed')
  await page.getByRole('checkbox', { name: 'Select all that match' }).check()
  const bar = page.getByRole('region', { name: 'Selection' })
  await expect(bar).toContainText('All 3 matches are selected')
  await expect(bar.getByRole('button', { name: 'Cancel executions' })).toHaveAttribute('aria-disabled', 'true')
  await takeScreenshots(page, 'executions-selected')
  await bar.getByRole('button', { name: 'Delete' }).click()
  await expect(page.getByRole('dialog', { name: 'Delete 3 Executions?' })).toBeVisible()
  // What it deletes is what matches when the user answers, so it counts again until then.
  await project.start({ fail: 'broken meanwhile' })
  await expect(page.getByRole('dialog', { name: 'Delete 4 Executions?' })).toBeVisible()
  await page.getByRole('button', { name: 'Delete 4 Executions' }).press('Enter')
  await expect(page.getByRole('region', { name: 'Bulk action' })).toContainText('Deleted 4 of 4')
  await expect(bar).toHaveCount(0)
  await expect(page.getByRole('main'), 'the button with the focus is gone').toBeFocused()
  await expect(page.getByRole('heading', { name: 'No Execution matches' })).toBeVisible()
  await page.getByRole('button', { name: 'Clear filters' }).first().click()
  await expect.poll(() => shownIds(page)).toEqual([kept])
  await page.getByRole('button', { name: 'Dismiss' }).press('Enter')
  await expect(page.getByRole('main')).toBeFocused()
})

test('Executions are run again with their inputs', async ({ project, page }) => {
  const one = await project.start({ say: 'first' })
  await page.goto('/executions')
  await page.getByRole('checkbox', { name: `Select ${one}` }).check()
  await page.getByRole('region', { name: 'Selection' }).getByRole('button', { name: 'Run again' }).click()
  await page.getByRole('button', { name: 'Run again 1 Execution' }).click()
  await expect(page.getByRole('region', { name: 'Bulk action' })).toContainText('Started again 1 of 1')
  await expect(grid(page).getByRole('rowheader')).toHaveCount(2)
  const [again] = (await project.client.listExecutions()).items
  expect((await project.client.getExecution(again!.id)).input).toEqual({ say: 'first' })
  await test.step('and after a reload the list still leads to them', async () => {
    await page.reload()
    await page.getByRole('button', { name: 'Show them' }).click()
    // The page knows the service's time to a second: in this test, the first one may be among them.
    await expect(page).toHaveURL(/createdAfter=/)
    await expect.poll(async () => (await shownIds(page))[0]).toBe(again!.id)
  })
})

test('a failed Execution that was run again says what became of that', async ({ project, page }) => {
  const failed = await project.start({ fail: 'broken' })
  await page.goto('/executions?needsAttention=true')
  await expect(row(page, failed)).toContainText('broken')
  const { id: once } = await project.client.start(DEMO, { fail: 'broken again' }, { againOf: failed })
  await expect(row(page, failed)).toContainText('Run again, failed · RangeError: broken')
  const { id: twice } = await project.client.start(DEMO, { wait: 'go' }, { againOf: once })
  await expect(row(page, failed)).toContainText('Run again, waiting · ')
  await expect(row(page, once)).toContainText('Run again, waiting · RangeError: broken again')
  await project.client.sendEvent(twice, 'go')
  await expect(row(page, failed)).toContainText('Run again, completed · RangeError: broken')
  await row(page, failed).getByRole('link', { name: failed }).click()
  const again = page.locator('dl').first().filter({ hasText: 'Run again as' })
  await expect(again).toContainText(`${twice}completedand 1 before`)
  await again.getByRole('link', { name: 'and 1 before' }).click()
  await expect.poll(() => shownIds(page)).toEqual([twice, once])
})

test('a running bulk action can be stopped, also after other screens were shown', async ({ project, page }) => {
  const id = await project.start({ wait: 'go' })
  const bulk = { id: 'bulk_1', action: 'cancel', status: 'running', matched: 9_000, done: 120, failed: 3 }
  let stopped = false
  await page.route('**/v1/bulk', (route) => route.fulfill({ status: 202, json: bulk }))
  await page.route('**/v1/bulk/bulk_1', (route) =>
    route.fulfill({ json: stopped ? { ...bulk, status: 'stopped' } : bulk }),
  )
  await page.route('**/v1/bulk/bulk_1/stop', async (route) => {
    stopped = true
    await route.fulfill({ status: 202, json: { ...bulk, status: 'stopped' } })
  })
  await page.goto('/executions')
  await page.getByRole('checkbox', { name: `Select ${id}` }).check()
  await page.getByRole('region', { name: 'Selection' }).getByRole('button', { name: 'Cancel executions' }).click()
  await page.getByRole('button', { name: 'Cancel 1 Execution' }).click()
  const work = page.getByRole('region', { name: 'Bulk action' })
  await expect(work).toContainText('Cancelling: 123 of 9,000; 3 had ended before')
  await expect(work.getByRole('progressbar', { name: 'Cancelling' })).toHaveAttribute('aria-valuenow', '123')
  await axe(page)
  await page.getByRole('link', { name: 'Programs' }).click()
  await expect(page.getByRole('heading', { name: 'Programs', level: 1 })).toBeVisible()
  await expect(work).toHaveCount(0)
  await page.goBack()
  await expect(work).toContainText('Cancelling: 123 of 9,000; 3 had ended before')
  await work.getByRole('button', { name: 'Stop' }).click()
  await expect(work).toContainText('Cancelled 120 of 9,000; 3 had ended before; stopped before the other 8,877')
})

test('a bulk action that the service no longer knows can be dismissed, and holds up no other', async ({
  project,
  page,
  allow,
}) => {
  allow(/status of 404/)
  const id = await project.start({ wait: 'go' })
  const bulk = { id: 'bulk_1', action: 'run-again', status: 'running', matched: 9_000, done: 120, failed: 0 }
  let isKnown = true
  await page.route('**/v1/bulk', (route) => route.fulfill({ status: 202, json: bulk }), { times: 1 })
  await page.route('**/v1/bulk/bulk_1', (route) => (isKnown ? route.fulfill({ json: bulk }) : route.continue()))
  await page.goto('/executions')
  const select = page.getByRole('checkbox', { name: `Select ${id}` })
  const selection = page.getByRole('region', { name: 'Selection' })
  await select.check()
  await selection.getByRole('button', { name: 'Run again' }).click()
  await page.getByRole('button', { name: 'Run again 1 Execution' }).click()
  const work = page.getByRole('region', { name: 'Bulk action' })
  await expect(work).toContainText('Starting again: 120 of 9,000')
  await select.check()
  const cancel = selection.getByRole('button', { name: 'Cancel executions' })
  await expect(cancel).toHaveAccessibleDescription('Wait for the running bulk action')
  // As after a restart of the runtime.
  isKnown = false
  await expect(work).toContainText('This bulk action is no longer known. Part of it may not have been done.')
  await expect(work.getByRole('progressbar')).toHaveCount(0)
  await axe(page)
  await expect(cancel).not.toHaveAttribute('aria-disabled')
  await work.getByRole('button', { name: 'Dismiss' }).click()
  await expect(work).toHaveCount(0)
  await cancel.click()
  await page.getByRole('button', { name: 'Cancel 1 Execution' }).click()
  await expect(work).toContainText('Cancelled 1 of 1')
})
