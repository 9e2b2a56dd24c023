// The empty list: four different reasons, and failures.

import {
  axe,
  chooseProject,
  expect,
  grid,
  openProject,
  row,
  takeScreenshots,
  test,
} from './executions-list.test-support.ts'
import { watchShifts } from './watch-shifts.test-support.ts'
test('without Programs it says how to deploy one', async ({ freshRuntime, page, context }) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write'])
  await page.goto(`${freshRuntime.url}/executions`)
  await expect(page.getByRole('heading', { name: 'No Programs yet' })).toBeVisible()
  await expect(page.getByRole('button', { name: 'Start execution' })).toHaveAccessibleDescription(
    /no Programs to start/,
  )
  await page.getByRole('button', { name: 'Copy npm run -s wes -- new my-project' }).click()
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe('npm run -s wes -- new my-project')
  await axe(page)
  await takeScreenshots(page, 'executions-no-programs')
})

test('an empty list does not move when the command of the runtime arrives', async ({ freshRuntime, page }) => {
  for (const [path, title] of [
    ['programs', 'No Programs yet'],
    ['executions', 'No Executions yet'],
  ] as const) {
    if (path === 'executions') await openProject(freshRuntime.url)
    const asked = Promise.withResolvers<void>()
    const rest = Promise.withResolvers<void>()
    await page.route('**/v1/runtime', async (route) => {
      asked.resolve()
      await rest.promise
      await route.continue()
    })
    await page.goto(`${freshRuntime.url}/${path}`)
    await asked.promise
    const shifted = await watchShifts(page)
    // Whatever is drawn before the answer is drawn by now.
    await shifted()
    rest.resolve()
    await expect(page.getByRole('region', { name: title })).toContainText('npm run -s wes --')
    expect(await shifted(), path).toBe(0)
    await page.unrouteAll()
  }
})

test('in another project than the folder’s, it says how to deploy there, and shows nothing of the folder', async ({
  freshRuntime,
  page,
}) => {
  freshRuntime.write('programs/broken.ts', 'export default defineProgram(')
  const { id } = await freshRuntime.client.createProject({ name: 'other' })
  const faults = page.getByRole('alert', { name: 'Source errors' })
  await page.goto(`${freshRuntime.url}/programs`)
  await expect(faults).toContainText('programs/broken.ts')
  await expect(page.getByText(`Watching ${freshRuntime.projectFolder}`)).toBeVisible()
  await page.getByRole('link', { name: 'Executions' }).click()
  await expect(page.getByRole('region', { name: 'No Programs yet' })).toContainText('has 1 source error.')
  await page.goto(`${freshRuntime.url}/p/${id}/programs`)
  const empty = page.getByRole('region', { name: 'No Programs yet' })
  await expect(empty).toContainText(`npm run -s wes -- deploy --url ${freshRuntime.url} --project-id=${id}`)
  await expect(page.getByText(freshRuntime.projectFolder)).toHaveCount(0)
  await expect(faults).toHaveCount(0)
  await axe(page)
  await takeScreenshots(page, 'programs-none-in-other-project')
})

test('while the project is read it says so, and the first deployed Program replaces that message', async ({
  freshRuntime,
  page,
}) => {
  await page.route('**/v1/source', async (route) => {
    const response = await route.fetch()
    await route.fulfill({ response, json: { ...(await response.json()), reading: true } })
  })
  await page.goto(`${freshRuntime.url}/programs`)
  await expect(page.getByRole('region', { name: 'Reading the project' })).toContainText(freshRuntime.projectFolder)
  await expect(page.getByText(`Reading ${freshRuntime.projectFolder}`)).toBeVisible()
  await axe(page)
  await page.unrouteAll({ behavior: 'wait' })
  await page.goto(`${freshRuntime.url}/executions`)
  await expect(page.getByRole('heading', { name: 'No Programs yet' })).toBeVisible()
  await freshRuntime.client.deployProgram({
    format: 'wes.program/1',
    id: 'first',
    program: { code: '({ run: async () => 1 })' },
  })
  await expect(page.getByRole('heading', { name: 'No Executions yet' })).toBeVisible()
})

test('without Executions it offers to start one, and shows the first', async ({ project, page }) => {
  await page.goto('/executions')
  await expect(page.getByRole('heading', { name: 'No Executions yet' })).toBeVisible()
  await expect(page.getByText(/^npm run -s wes -- start .*--input='\{\}' order-demo$/)).toBeVisible()
  await expect(grid(page)).toHaveCount(0)
  await axe(page)
  await takeScreenshots(page, 'executions-none')
  const id = await project.start({ say: 'x' })
  await expect(row(page, id)).toBeVisible()
})

test('without matches it shows the filter, and can clear it', async ({ project, page }) => {
  const id = await project.start({ say: 'x' })
  await page.goto('/executions?status=failed&q=declined')
  const empty = page.getByRole('region', { name: 'No Execution matches' })
  await expect(empty).toContainText('Status is failed, Id or error has “declined”')
  await expect(empty.getByRole('button', { name: 'Search labels instead' })).toBeVisible()
  await axe(page)
  await takeScreenshots(page, 'executions-no-match')
  await empty.getByRole('button', { name: 'Clear filters' }).click()
  await expect(row(page, id)).toBeVisible()
})

test('nothing matches a value that is not known, which can be removed', async ({ project, page }) => {
  const id = await project.start({ say: 'x' })
  await page.goto('/executions?status=bogus')
  const empty = page.getByRole('region', { name: 'No Execution matches' })
  await expect(empty).toContainText('Unknown filter status=bogus')
  await expect(page.getByRole('checkbox', { name: 'Select all that match' })).toHaveCount(0)
  await axe(page)
  await takeScreenshots(page, 'executions-unknown-filter')
  await page.getByRole('button', { name: 'Remove Unknown filter status=bogus' }).click()
  await expect(row(page, id)).toBeVisible()
  await expect(page).toHaveURL(/\/executions$/)
})

test('nothing matches a filter whose name is not known, which can be removed', async ({ project, page }) => {
  const failed = await project.start({ fail: 'x' })
  const done = await project.start({ say: 'x' })
  await page.goto('/executions?statuss=failed')
  const empty = page.getByRole('region', { name: 'No Execution matches' })
  await expect(empty).toContainText('Unknown filter statuss=failed')
  await expect(empty).toContainText('until the unknown filter is removed')
  await page.goto('/executions?statuss=failed&programs=x')
  await expect(empty).toContainText('until the unknown filters are removed')
  await page.goto('/programs/order-demo?tab=executions&Status=failed&status=completed')
  await expect(empty).toContainText('Status is completed, Unknown filter Status=failed')
  await axe(page)
  await takeScreenshots(page, 'program-executions-unknown-filter')
  await page.getByRole('button', { name: 'Remove Unknown filter Status=failed' }).click()
  await expect(row(page, done)).toBeVisible()
  await expect(page).toHaveURL(/\?tab=executions&status=completed$/)
  await expect(row(page, failed)).toBeHidden()
})

test('without a runtime it says so, and continues as soon as it answers', async ({ freshRuntime, page, allow }) => {
  allow(/ERR_CONNECTION_REFUSED|ERR_INCOMPLETE_CHUNKED_ENCODING|ERR_CONNECTION_RESET|503/)
  const project = await openProject(freshRuntime.url)
  const id = await project.start({ say: 'x' })
  await chooseProject(page, 'default')
  // The runtime serves the page, so load it first.
  await page.goto(`${freshRuntime.url}/executions?status=failed`)
  await expect(page.getByRole('heading', { name: 'No Execution matches' })).toBeVisible()
  await freshRuntime.stop()
  await page.getByRole('button', { name: 'Clear filters' }).first().click()
  await expect(page.getByRole('heading', { name: 'The runtime does not answer' })).toBeVisible()
  await axe(page)
  await takeScreenshots(page, 'executions-runtime-stopped')
  await freshRuntime.start()
  await expect(row(page, id)).toBeVisible()
})

test('a failure has a message, and can be retried', async ({ project, page, allow }) => {
  allow(/status of 500/)
  const id = await project.start({ say: 'x' })
  const refuse = '**/v1/executions?*'
  await page.route(refuse, (route) =>
    route.fulfill({ status: 500, json: { error: { code: 'internal', message: 'The disk hums' } } }),
  )
  await page.goto('/executions')
  await expect(page.getByRole('alert')).toContainText('The disk hums')
  await axe(page)
  // Once the answers are good, the list may have read itself before anybody clicks.
  const asked = page.waitForRequest(refuse)
  await page.getByRole('button', { name: 'Try again' }).click()
  await asked
  await page.unroute(refuse)
  await expect(row(page, id)).toBeVisible()
})

test('a server without counts shows the list without them', async ({ project, page, allow }) => {
  allow(/status of 404/)
  const id = await project.start({ fail: 'x' })
  await page.route('**/v1/executions/counts*', (route) =>
    route.fulfill({ status: 404, json: { error: { code: 'execution_not_found', message: 'None' } } }),
  )
  await page.goto('/executions')
  await expect(row(page, id)).toBeVisible()
  await page.getByRole('button', { name: 'failed', exact: true }).click()
  await expect(row(page, id)).toBeVisible()
  await page.getByRole('checkbox', { name: 'Select all that match' }).check()
  await expect(page.getByRole('region', { name: 'Selection' })).toContainText('All matches are selected')
})
