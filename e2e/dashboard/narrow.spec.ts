// A phone: 400 × 800, operated with a finger.

import type { Locator, Page } from '@playwright/test'
import { createClient } from '../../src-sdk/create-client.ts'
import { tabTo } from './dialogs.test-support.ts'
import { axe, expect } from './fixtures.ts'
import { artifact, signIn, test } from './hosted-fixtures.ts'
import { takeNarrowScreenshots } from './screenshots.test-support.ts'
import { takeScreenshot } from './take-screenshots.ts'
import { untilStatus } from './until-status.test-support.ts'

test.use({ viewport: { width: 400, height: 800 }, hasTouch: true })

const nav = (page: Page): Locator => page.getByRole('navigation', { name: 'Main' })
const opener = (page: Page): Locator => page.getByRole('button', { name: 'Navigation' })

test('the navigation makes room for the screen, and opens with a button', async ({ page, hosted, project }) => {
  await signIn(page, hosted)
  await page.goto(project.at('executions'))
  const title = page.getByRole('heading', { level: 1 })
  await expect(title).toHaveText('Executions')
  await expect(nav(page)).toBeHidden()
  expect((await title.boundingBox())!.y).toBeLessThan(140)
  await expect(page.getByRole('status', { name: 'Connection', exact: true })).toBeInViewport()
  await expect(opener(page)).toHaveAttribute('aria-expanded', 'false')
  await opener(page).tap()
  await expect(opener(page)).toHaveAttribute('aria-expanded', 'true')
  await expect(page.getByRole('button', { name: 'Sign out' })).toBeVisible()
  for (const link of await nav(page).getByRole('link').all()) {
    expect((await link.boundingBox())!.height).toBeGreaterThanOrEqual(36)
  }
  await axe(page)
  await takeNarrowScreenshots(page, 'navigation-open')
  await nav(page).getByRole('link', { name: 'Workspace' }).tap()
  await expect(title).toHaveText('Workspace')
  await expect(nav(page)).toBeHidden()
  await tabTo(page, opener(page))
  await page.keyboard.press('Enter')
  await tabTo(page, nav(page).getByRole('link', { name: 'Usage' }))
  await page.keyboard.press('Enter')
  await expect(title).toHaveText('Usage')
  await expect(nav(page)).toBeHidden()
  await expect(page.getByRole('main')).toBeFocused()
})

test('long names of projects are shown in full, beside their ids', async ({ page, hosted, admin }) => {
  const name = `Lifetime value ${'without-a-space'.repeat(4)}`
  const { id } = await admin.createProject({ name })
  await signIn(page, hosted)
  await page.goto(`${hosted.url}/projects`)
  const row = page.getByRole('row').filter({ hasText: name })
  await row.scrollIntoViewIfNeeded() // below the projects of other tests
  await expect(row.getByRole('link', { name })).toBeInViewport({ ratio: 1 })
  await expect(row.getByRole('button', { name: `Copy the id of ${id}` })).toBeInViewport({ ratio: 1 })
})

test('names without a space, and hidden characters in them, leave nothing cut off', async ({ page, hosted, admin }) => {
  const programId = 'p'.repeat(64)
  const { id } = await admin.createProject({ name: 'W'.repeat(80) })
  const client = createClient({ url: hosted.url, token: hosted.token, projectId: id })
  const turned = await admin.createProject({ name: `${crypto.randomUUID().slice(0, 8)} \u202egpj.exe \u2066x\u2069` })
  await client.deployProgram({ ...artifact('hello'), id: programId })
  const { items } = await client.replaceTriggers(id, [{ type: 'webhook', programId, enabled: true }])
  await client.run(programId, { name: 'Ada' })
  await signIn(page, hosted)
  const cut = (text: Locator) => text.evaluate((one) => one.scrollWidth - one.clientWidth)
  await page.goto(`${hosted.url}/p/${id}/environment`)
  const place = page.getByText('Effects of the project')
  await expect(place).toContainText('WWW')
  expect(await cut(place)).toBe(0)

  await page.goto(`${hosted.url}/p/${id}/triggers/${items[0]!.id}`)
  await expect(page.getByRole('main').getByText('Each POST to it')).toBeVisible()
  const screen = page.locator('.printed-whole')
  expect(await cut(screen), 'of a Trigger').toBe(0)

  await page.goto(`${hosted.url}/p/${id}/metrics`)
  await page.getByText('Show as a table').tap()
  await expect(page.getByRole('table', { name: 'Metrics' }).getByRole('link').first()).toBeVisible()
  expect(await cut(screen), 'of the metrics').toBe(0)

  await page.getByRole('button', { name: /^Project: / }).tap()
  const item = page.getByRole('option', { name: turned.name.slice(0, 8) })
  expect((await item.boundingBox())!.height, 'a name in at most two lines').toBeLessThan(60)

  await page.setViewportSize({ width: 640, height: 800 })
  await page.goto(`${hosted.url}/p/${id}/usage?groupBy=day&groupBy=project&groupBy=program`)
  await expect(page.getByRole('table', { name: 'Usage' }).getByRole('link', { name: 'W'.repeat(80) })).toBeVisible()
  expect(await cut(screen), 'of the usage').toBe(0)
})

test('what can be done with a selection stays in view', async ({ page, hosted, project }) => {
  await project.client.deployProgram(artifact('hello'))
  for (let n = 0; n < 30; n++) await project.client.start('hello', { name: `Ada ${n}` })
  await signIn(page, hosted)
  await page.goto(project.at('executions'))
  await page
    .getByRole('checkbox', { name: /^Select exe_/ })
    .first()
    .check()
  const bar = page.getByRole('region', { name: 'Selection' })
  await expect(bar).toBeInViewport({ ratio: 1 })
  for (const name of ['Run again', 'Cancel executions', 'Delete', 'Clear the selection']) {
    const button = bar.getByRole('button', { name })
    await expect(button).toBeInViewport({ ratio: 1 })
    expect((await button.boundingBox())!.height).toBeGreaterThanOrEqual(36)
  }
  await axe(page)
  await takeNarrowScreenshots(page, 'selection')
})

test('tables fit the screen', async ({ page, hosted, admin, project }) => {
  const { client } = project
  await admin.createToken({
    name: 'deploys-from-continuous-integration',
    role: 'write',
    expiresAt: new Date(Date.now() + 3_000),
  })
  await client.deployProgram(artifact('hello'))
  const code = `({ run: async (ctx) => ctx.waitForEvent("${'approved-by-the-head-of-the-department-'.repeat(4)}") })`
  const long = 'approval-of-large-orders-'.repeat(4) + 'v2'
  await client.deployProgram({ ...artifact('hello'), id: long, program: { code } })
  for (const part of ['name', 'address']) {
    const code = `({ run: () => { throw new TypeError("The ${part} of the customer is missing") } })`
    await client.deployProgram({ ...artifact('hello'), id: 'notification', program: { code } })
  }
  const schedule = { type: 'schedule', cron: '0 3 * * 1-5', timezone: 'America/Argentina/Buenos_Aires' } as const
  await client.replaceTriggers(project.id, [{ ...schedule, programId: long, enabled: true, name: 'each weekday' }])
  await client.changeEnvironment(project.id, { set: { PAYMENT_SERVICE_API_KEY_OF_THE_SHOP: 'x' } })
  await client.start(long, { name: 'Ada' })
  await client.run('notification', { name: 'Ada' }).catch(() => undefined)
  await signIn(page, hosted)
  for (const [path, name, shown] of [
    ['errors', 'Errors', 'Executions'],
    ['waiting', 'Waiting', 'Executions'],
    ['programs', 'Programs', 'Executions'],
    ['programs/notification', 'Versions', 'Deployed'],
    ['triggers', 'Triggers', 'Enabled'],
    ['environment', 'Environment', 'Updated'],
    ['projects', 'Projects', 'Created'],
    ['workspace', 'Tokens', 'Expires'],
    ['billing', /^Invoice for/, 'Amount'],
    ['billing', 'Plan', 'Additional usage'],
    ['usage?groupBy=day&groupBy=project&groupBy=program', 'Usage', 'Executions'],
  ] as const) {
    // As high as any of them: only the width matters here.
    await page.setViewportSize({ width: 390, height: 2_000 })
    await page.goto(project.at(path))
    const table = page.getByRole('table', { name }).first()
    await expect(table.getByRole('columnheader', { name: shown })).toBeInViewport({ ratio: 1 })
    const last = table.locator('thead th:visible').last()
    if (/^(errors|waiting|programs|triggers)/.test(path)) await expect(last).toHaveCSS('padding-right', '20px')
    await axe(page)
    await takeScreenshot(page, `phone-${path.replace(/\?.*/, '')}`)
    for (const width of [1024, 768, 640, 512, 320]) {
      await page.setViewportSize({ width, height: 800 })
      const hidden = await table.locator('..').evaluate((scroller) => scroller.scrollWidth - scroller.clientWidth)
      expect(hidden, `${path}, ${width} pixels wide`).toBe(0)
    }
  }
  await page.goto(project.at(`metrics?programId=${long}`))
  const program = page.getByRole('button', { name: 'Program: ' })
  await expect(program).toBeInViewport({ ratio: 1 })
  await program.click()
  await expect(page.getByRole('option', { name: long })).toBeInViewport({ ratio: 1 })
  await page.goto(project.at('triggers'))
  await expect(page.getByRole('rowheader', { name: 'each weekday' }), 'its Program').toContainText(long)
  await page.goto(project.at('workspace'))
  await expect(page.getByRole('button', { name: /^Revoke / }).first()).toBeInViewport({ ratio: 1 })
})

test('the history, the logs and the data of an Execution fit the screen', async ({ page, hosted, project }) => {
  const code = `({ run: async (ctx) => {
    ctx.log.info("the order is large, so somebody has to approve it before the card is charged")
    return { by: (await ctx.waitForEvent("approved")).by }
  } })`
  await project.client.deployProgram({ ...artifact('hello'), id: 'approval', program: { code } })
  const { id } = await project.client.start('approval', { name: 'Ada' })
  await project.client.sendEvent(id, 'approved', { by: 'the head of the department of large orders' })
  await signIn(page, hosted)
  for (const [tab, name, text] of [
    ['history', 'History', 'delivered after'],
    ['logs', 'Logs', 'the order is large'],
    ['data', 'Events and effects', 'approved'],
  ] as const) {
    await page.setViewportSize({ width: 390, height: 800 })
    await page.goto(project.at(`executions/${id}?tab=${tab}`))
    const grid = page.getByRole('grid', { name, exact: true })
    await expect(grid.getByText(text).first()).toBeVisible()
    await axe(page)
    await takeScreenshot(page, `phone-execution-${tab}`)
    for (const width of [1024, 768, 320]) {
      await page.setViewportSize({ width, height: 800 })
      await expect
        .poll(() => grid.evaluate((one) => one.scrollWidth - one.clientWidth), `${tab}, ${width} pixels wide`)
        .toBe(0)
    }
  }
})

test('a history that is still being loaded moves nothing when more of it arrives', async ({
  page,
  hosted,
  project,
}) => {
  await project.client.deployProgram({
    format: 'wes.program/1',
    id: 'talks',
    program: { code: '({ run: async (ctx) => { for (let n = 0; n < 450; n += 1) ctx.log.info(`step ${n}`) } })' },
  })
  const { id } = await project.client.start('talks')
  await untilStatus(project.client, id, 'completed')
  await signIn(page, hosted)
  for (const [tab, width] of [
    ['logs', 390],
    ['history', 390],
    ['timeline', 390],
    ['history', 911],
  ] as const) {
    await page.setViewportSize({ width, height: 512 })
    const rest = Promise.withResolvers<void>()
    await page.route(/\/history\?.*cursor=/, async (route) => rest.promise.then(() => route.continue()))
    await page.goto(project.at(`executions/${id}?tab=${tab}`))
    const state = page.getByRole('status', { name: 'History loaded' })
    await expect(state).toContainText('loading more')
    const grid = page.getByRole('grid')
    const { y } = (await grid.boundingBox())!
    const { x } = (await state.boundingBox())!
    rest.resolve()
    await expect(state).toContainText('452 entries')
    await expect(state).not.toContainText('loading more')
    expect((await grid.boundingBox())!.y, tab).toBe(y)
    expect((await state.boundingBox())!.x, tab).toBe(x)
    await page.unrouteAll()
  }
})
