// The runtime is killed and restarted while the page is open.

import type { Page } from '@playwright/test'
import { DEMO, expect, openProject, takeScreenshots, test } from './executions-list.test-support.ts'

const contact = (page: Page) => page.getByRole('status', { name: 'Availability' })

const placesOf = (page: Page): Promise<readonly string[]> =>
  page.evaluate(() =>
    [...document.querySelectorAll('main h1, main [role="grid"], main table, main tr, nav a')].map((element) => {
      const { x, y, width, height } = element.getBoundingClientRect()
      return `${element.tagName} ${x} ${y} ${width} ${height}`
    }),
  )

/** The screens that are visited without a runtime. They are loaded ahead, after the first one. */
const untilScreensAreLoaded = (page: Page): Promise<void> =>
  expect
    .poll(() =>
      page.evaluate(() =>
        performance
          .getEntriesByType('resource')
          .map(({ name }) => name)
          .join('\n'),
      ),
    )
    .toMatch(/(?=[^]*waiting-page)(?=[^]*errors-page)(?=[^]*metrics-page)(?=[^]*settings-page)/)

test('shows the same message everywhere, with the time of the data and the command to restart', async ({
  freshRuntime,
  page,
  allow,
}) => {
  allow(/net::ERR_|503/)
  const project = await openProject(freshRuntime.url)
  const id = await project.start({ wait: 'approved' })
  await page.goto(`${freshRuntime.url}/programs`)
  await expect(page.getByRole('table', { name: 'Programs' })).toContainText(DEMO)
  await expect(page.getByRole('status', { name: 'Runtime' })).toHaveText('Runtime ready')
  await untilScreensAreLoaded(page)
  const before = await placesOf(page)

  await freshRuntime.kill()
  await expect(contact(page)).toContainText(/^The runtime does not answer\. Showing data from \d\d:\d\d:\d\d\./)
  await expect(contact(page)).toContainText(`wes -- dev --port ${new URL(freshRuntime.url).port}`)
  await expect(contact(page)).toContainText(`--project ${freshRuntime.projectFolder}`)
  expect(await placesOf(page), 'nothing moves').toEqual(before)
  await takeScreenshots(page, 'runtime-gone')

  for (const screen of ['Waiting', 'Errors', 'Metrics', 'Settings', 'Executions']) {
    await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: screen }).click()
    await expect(page.getByRole('heading', { level: 1, name: screen })).toBeVisible()
    if (screen !== 'Settings') {
      await expect(page.getByRole('heading', { name: 'The runtime does not answer' })).toBeVisible()
      await expect(page.getByText('wes -- dev --port').filter({ visible: true }), 'told once').toHaveCount(1)
      await expect(page.getByRole('main')).toContainText(`wes -- dev --port`)
    }
    await expect(contact(page)).toContainText('The runtime does not answer')
  }
  await takeScreenshots(page, 'runtime-gone-empty')

  await page.getByRole('button', { name: 'Retry now' }).click()
  await expect(contact(page)).toContainText('The runtime does not answer')
  await freshRuntime.start()
  const ready = Date.now()
  await expect(contact(page)).toHaveText('')
  // Within 1 s, but for slow machines. A service that stays away for long is tried every 5 s.
  expect(Date.now() - ready, 'until it is found again, in ms').toBeLessThan(4_000)
  await expect(page.getByRole('main'), 'the button is gone').toBeFocused()
  await expect(page.getByRole('grid', { name: 'Executions' })).toContainText(id)

  await page.getByRole('checkbox', { name: `Select ${id}` }).check()
  await freshRuntime.kill()
  await expect(contact(page)).toContainText('The runtime does not answer')
  const bar = await page.getByRole('region', { name: 'Selection' }).boundingBox()
  const notice = await contact(page).locator('[data-notice]').boundingBox()
  expect(bar!.y + bar!.height, 'the notice covers no button').toBeLessThanOrEqual(notice!.y)
  await page.getByRole('button', { name: 'Cancel executions' }).click()
  await page
    .getByRole('dialog')
    .getByRole('button', { name: /^Cancel 1/ })
    .click()
  await expect(page.getByLabel('Dismiss'), 'of a toast').toBeVisible()
  for (const width of [1280, 960]) {
    await page.setViewportSize({ width, height: 720 })
    for (const name of ['Retry now', 'Run again']) await page.getByRole('button', { name }).click({ trial: true })
  }
  await page.setViewportSize({ width: 1280, height: 720 })

  const count = page.getByRole('button', { name: 'waiting' }).getByText('1')
  await expect(count).toBeVisible()
  await page.getByRole('button', { name: 'failed' }).click()
  await expect(page.getByRole('main').getByRole('heading', { name: 'The runtime does not answer' })).toBeVisible()
  await expect(count, 'of no known age').toBeHidden()
})

test('a dialog of which a file is gone says so once, and opens once the file is there', async ({
  project,
  page,
  allow,
}) => {
  allow(/status of 404|dynamically imported module|could not be loaded/)
  const chunk = /\/assets\/shortcut-list-.*\.js/
  let asked = 0
  await page.route(chunk, (route) => {
    asked += 1
    return route.fulfill({ status: 404 })
  })
  await page.goto(`/p/${project.id}/executions`)
  await expect(page.getByRole('heading', { name: 'Executions', level: 1 })).toBeVisible()
  await page.keyboard.press('?')
  await expect(page.getByRole('alert')).toContainText(/The dialog could not be opened.*the page must be reloaded/s)
  // Ahead, and for the dialog.
  expect(asked).toBeLessThanOrEqual(2)
  await page.unroute(chunk)
  await page.keyboard.press('?')
  await expect(page.getByRole('dialog', { name: 'Shortcuts' })).toBeVisible()
})

test('a screen that could not be loaded in advance opens without a reload', async ({ project, page, allow }) => {
  allow(/net::ERR_FAILED/)
  const id = await project.start({ wait: 'approved' })
  const chunk = /\/assets\/execution-page-.*\.js/
  await page.route(chunk, (route) => route.abort(), { times: 1 })
  const failed = page.waitForEvent('requestfailed', (request) => chunk.test(request.url()))
  await page.goto(`/p/${project.id}/executions`)
  await page.evaluate(() => Object.assign(window, { isSamePage: true }))
  await failed
  await page.getByRole('grid', { name: 'Executions' }).getByRole('link', { name: id }).click()
  await expect(page.getByRole('main').getByRole('heading', { level: 1 })).toContainText(DEMO)
  expect(await page.evaluate(() => 'isSamePage' in window)).toBe(true)
})

test('a screen of which a file is gone says so, and is shown once the file is there', async ({
  project,
  page,
  allow,
}) => {
  allow(/status of 404|dynamically imported module|preload CSS|net::ERR_/)
  await page.goto(`/p/${project.id}/executions`)
  await expect(page.getByRole('heading', { name: 'Executions', level: 1 })).toBeVisible()
  await page.evaluate(() => Object.assign(window, { isSamePage: true }))
  // Its charts and their style are not loaded ahead.
  const chunk = /\/assets\/(?:chart|plot)-/
  await page.route(chunk, (route) => route.fulfill({ status: 404 }))
  await page.getByRole('link', { name: 'Metrics' }).click()
  const fault = page.getByRole('alert').filter({ hasText: 'This screen could not be loaded' })
  await expect(fault).toContainText('the service was updated since this page was opened')
  await fault.getByRole('button', { name: 'Try again' }).click()
  await expect(fault).toBeVisible()
  await page.unroute(chunk)
  await fault.getByRole('button', { name: 'Try again' }).click()
  await expect(page.getByRole('heading', { name: 'Metrics', level: 1 })).toBeVisible()
  await expect(page.getByRole('img', { name: /over time/ }).first()).toBeVisible()
  expect(await page.evaluate(() => 'isSamePage' in window)).toBe(true)

  await page.route(chunk, (route) => route.abort())
  await page.reload()
  await expect(fault).toBeVisible()
  await page.context().setOffline(true)
  await expect(contact(page)).toContainText('The runtime does not answer')
  await page.unroute(chunk)
  await page.context().setOffline(false)
  await expect(page.getByRole('img', { name: /over time/ }).first(), 'by itself').toBeVisible()
})

test('a page of which a script is gone says so, and loads itself once the script is there', async ({
  project,
  page,
  allow,
}) => {
  allow(/status of 404/)
  const script = /\/assets\/first-screen-.*\.js/
  await page.route(script, (route) => route.fulfill({ status: 404 }))
  await page.goto(`/p/${project.id}/executions`)
  await expect(page.getByText('The dashboard could not be loaded.')).toBeVisible()
  await page.unroute(script)
  await expect(page.getByRole('heading', { name: 'Executions', level: 1 })).toBeVisible()
})

test('a page of which the style is gone loads itself until the style is there', async ({ project, page, allow }) => {
  allow(/status of 404/)
  const style = /\/assets\/first-screen-.*\.css/
  let asked = 0
  await page.route(style, (route) => {
    asked += 1
    return route.fulfill({ status: 404 })
  })
  await page.goto(`/p/${project.id}/executions`)
  await expect.poll(() => asked).toBeGreaterThan(1)
  const loaded = page.waitForResponse((response) => style.test(response.url()) && response.ok())
  await page.unroute(style)
  await loaded
  await expect(page.getByRole('heading', { name: 'Executions', level: 1 })).toBeVisible()
})

test('a page is not reloaded while nothing answers', async ({ freshRuntime, page, allow }) => {
  allow(/net::ERR_|503|status of 404|dynamically imported module/)
  await page.goto(`${freshRuntime.url}/executions`)
  await untilScreensAreLoaded(page)
  await page.route(/\/assets\/chart-.*\.js/, (route) => route.fulfill({ status: 404 }))
  await page.getByRole('link', { name: 'Metrics' }).click()
  const fault = page.getByRole('alert').filter({ hasText: 'This screen could not be loaded' })
  await expect(fault).toBeVisible()
  await freshRuntime.kill()
  await fault.getByRole('button', { name: 'Reload the page' }).click()
  await expect(fault).toContainText('Not reloaded: nothing answers at')
  await page.unrouteAll()
  await freshRuntime.start()
  await expect(page.getByRole('heading', { name: 'Metrics', level: 1 })).toBeVisible()
})

test('the durations of the header and the timeline stand still until it is back', async ({
  freshRuntime,
  page,
  allow,
}) => {
  allow(/net::ERR_|503/)
  const project = await openProject(freshRuntime.url)
  const id = await project.start({ wait: 'go' })
  await page.clock.install()
  // As if other windows had all places for a stream of changes.
  await page.addInitScript(() => {
    for (const place of [1, 2, 3, 4]) void navigator.locks.request(`wes-stream-${place}`, () => new Promise(() => {}))
  })
  const startedBy = page.waitForResponse(`${freshRuntime.url}/local/v1/runtime`)
  await page.goto(`${freshRuntime.url}/executions/${id}`)
  const header = page.getByRole('main').locator('dl')
  const timeline = page.getByRole('grid', { name: 'Timeline' })
  await expect(timeline).toContainText(/\d m?s/)
  await (await startedBy).finished()
  await freshRuntime.kill()
  await expect(page.getByText('Showing data from')).toBeVisible()
  await expect(contact(page)).toContainText(`wes -- dev --port ${new URL(freshRuntime.url).port}`)
  const durations = async () => [await header.innerText(), await timeline.innerText()]
  const shown = await durations()
  await page.clock.runFor(60_000)
  expect(await durations()).toEqual(shown)
  await freshRuntime.start()
  await expect.poll(() => header.innerText()).not.toBe(shown[0])
})
