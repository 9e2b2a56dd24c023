// The other screens: Programs, versions, Waiting, Errors, Metrics, Projects, Settings.

import type { Locator, Page } from '@playwright/test'
import type { ServiceClient } from '../../src-sdk/create-client.ts'
import { watchShifts } from './watch-shifts.test-support.ts'
import { axe, expect, takeScreenshots, test } from './fixtures.ts'

const program = (id: string, code: string, manifest: object = {}) => ({
  format: 'wes.program/1' as const,
  id,
  program: { code: `({ run: async (ctx, input) => { ${code} } })` },
  manifest,
})

const WAITS = program('gate', "return await ctx.waitForEvent('opened')", { events: [{ name: 'opened' }] })
const SLEEPS = program('nap', "await ctx.sleep('1h')")
const FAILS = program('broken', 'throw new TypeError(`order ${input.n} has no address`)')
const WORKS = program('hello', 'return { hello: input.name }')

const untilEnded = async (client: ServiceClient, ids: readonly string[]): Promise<void> => {
  for (const id of ids) await expect.poll(async () => (await client.getExecution(id)).finishedAt).toBeTruthy()
}

/** A runtime with all kinds of data. */
const fill = async (client: ServiceClient): Promise<void> => {
  for (const one of [WAITS, SLEEPS, FAILS, WORKS]) await client.deployProgram(one)
  for (let n = 0; n < 3; n++) await client.start('gate')
  await client.start('nap')
  const failed = await Promise.all([1, 2].map((n) => client.start('broken', { n })))
  const worked = await Promise.all(['Ada', 'Alan'].map((name) => client.start('hello', { name })))
  await untilEnded(
    client,
    [...failed, ...worked].map(({ id }) => id),
  )
}

const main = (page: Page) => page.getByRole('main')

test('Waiting lists what Executions wait for, and links to them', async ({ freshRuntime, page }) => {
  await fill(freshRuntime.client)
  await page.goto(`${freshRuntime.url}/waiting`)
  const table = page.getByRole('table', { name: 'Waiting' })
  const gate = table.getByRole('row', { name: /opened/ })
  await expect(gate).toContainText('Event')
  await expect(gate).toContainText('gate')
  await expect(gate.getByRole('cell', { name: '3', exact: true })).toBeVisible()
  await expect(table.getByRole('row', { name: /a timer/ })).toContainText('nap')
  await axe(page)
  await takeScreenshots(page, 'waiting')
  await gate.getByRole('link', { name: 'opened' }).click()
  await expect(page).toHaveURL(/\/executions\?.*waitingKind=event.*waitingName=opened/)
})

test('Errors shows one row per cause', async ({ freshRuntime, page }) => {
  await fill(freshRuntime.client)
  await page.goto(`${freshRuntime.url}/errors`)
  const table = page.getByRole('table', { name: 'Errors' })
  await expect(table.getByRole('row')).toHaveCount(2)
  const row = table.getByRole('row', { name: /has no address/ })
  await expect(row).toContainText('TypeError')
  await expect(row).toContainText('program_error')
  await expect(row.getByRole('cell', { name: '2', exact: true })).toBeVisible()
  await axe(page)
  await takeScreenshots(page, 'errors')

  const failed = page.getByRole('combobox', { name: 'Failed' })
  await failed.click()
  await page.getByRole('option', { name: 'Last hour' }).click()
  await expect(page).toHaveURL(/\/errors\?finishedAfter=-1h$/)
  await expect(table.getByRole('row')).toHaveCount(2)
  await page.reload()
  await expect(failed).toHaveText('Last hour')
  await page.goto(`${freshRuntime.url}/errors?finishedAfter=2999-01-01T00:00:00Z`)
  await expect(page.getByRole('region', { name: 'No failures in this time' })).toBeVisible()
  await expect(failed).toHaveText(/^Since 2999-01-01/)
  await axe(page)
  const between = new Date().toISOString()
  await untilEnded(freshRuntime.client, [(await freshRuntime.client.start('broken', { n: 3 })).id])
  await page.goto(`${freshRuntime.url}/errors?finishedAfter=${between}`)
  await expect(row.getByRole('cell', { name: '1', exact: true }), 'counted since then').toBeVisible()
  await failed.click()
  await page.getByRole('option', { name: 'Last hour' }).click()
  await expect(row.getByRole('cell', { name: '3', exact: true })).toBeVisible()
  await row.getByRole('link', { name: /has no address/ }).click()
  await expect(page).toHaveURL(/\/executions\?programId=broken&errorFingerprint=\w+&finishedAfter=-1h$/)
  await page.getByRole('button', { name: 'Remove Ended in the last 1 h' }).click()
  await expect(page.getByRole('list', { name: 'Filters' })).toHaveText(
    /^Program is brokenError like “TypeError: .*has no address”/,
  )
})

test('tables keep every column in sight beside names and messages without spaces', async ({ freshRuntime, page }) => {
  const { client } = freshRuntime
  const long = 'notification-of-the-department-of-'.repeat(3)
  const description = 'd'.repeat(300)
  await client.deployProgram({
    ...program(`${long}waits`, `await ctx.waitForEvent('${'e'.repeat(190)}')`),
    description,
  })
  await client.deployProgram(program(`${long}fails`, "throw new Error('m'.repeat(900))"))
  await client.start(`${long}waits`)
  await client.deployProgram(program('arabic', "throw new Error('لم يتم العثور على العميل '.repeat(20))"))
  await untilEnded(client, [(await client.start(`${long}fails`)).id, (await client.start('arabic')).id])
  for (const name of ['Waiting', 'Errors', 'Programs']) {
    await page.goto(`${freshRuntime.url}/${name.toLowerCase()}`)
    const table = page.getByRole('table', { name })
    await expect(table.getByRole('link').first()).toBeVisible()
    for (const width of [1280, 390]) {
      await page.setViewportSize({ width, height: 720 })
      const hidden = await table.locator('..').evaluate((scroller) => scroller.scrollWidth - scroller.clientWidth)
      expect(hidden, `${name} at ${width}`).toBe(0)
    }
  }
  // What is written from right to left is cut at its end.
  await page.setViewportSize({ width: 1280, height: 720 })
  for (const path of ['errors', 'executions']) {
    await page.goto(`${freshRuntime.url}/${path}`)
    await expect(page.getByText(/^لم يتم/)).toHaveCSS('direction', 'rtl')
  }
})

test('each screen says when it is empty', async ({ freshRuntime, page }) => {
  for (const [path, title] of [
    ['waiting', 'Nothing is waiting'],
    ['errors', 'No failures'],
    ['programs', 'No Programs yet'],
  ]) {
    await page.goto(`${freshRuntime.url}/${path}`)
    await expect(main(page).getByRole('heading', { name: title })).toBeVisible()
    await axe(page)
  }
  await takeScreenshots(page, 'programs-empty')
})

test('Programs shows origin, version, volume and failures, and supports j, k and Enter', async ({
  allow,
  freshRuntime,
  page,
}) => {
  await fill(freshRuntime.client)
  allow(/status of 502/)
  await page.route(/counts\?.*programId=broken/, (route) => route.fulfill({ status: 502 }), { times: 1 })
  await page.goto(`${freshRuntime.url}/programs`)
  const table = page.getByRole('table', { name: 'Programs' })
  await expect(table.getByRole('row', { name: /^broken/ })).toContainText('100%')
  await expect(table.getByRole('row', { name: /^gate/ })).toContainText('upload')
  await axe(page)
  await takeScreenshots(page, 'programs')
  await page.keyboard.press('/')
  await page.keyboard.type('GAT')
  await expect(table.getByRole('rowgroup').last().getByRole('row')).toHaveText([/^gate/])
  await page.reload()
  await expect(page.getByLabel('Find a Program')).toHaveValue('GAT')
  await page.getByLabel('Find a Program').fill('nowhere')
  await expect(page.getByRole('region', { name: 'No Program matches' })).toBeVisible()
  await axe(page)
  await page.getByRole('button', { name: 'Clear the search' }).last().click()
  await page.keyboard.press('j')
  await expect(table.getByRole('link', { name: 'broken' })).toBeFocused()
  await page.keyboard.press('j')
  await page.keyboard.press('j')
  await page.keyboard.press('k')
  await expect(table.getByRole('link', { name: 'gate' })).toBeFocused()
  await page.keyboard.press('Enter')
  await expect(page).toHaveURL(/\/programs\/gate$/)
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('gate')
})

/** That React does not render the cells of a row again while the rows scroll by one. */
const scrollingKeeps = (table: Locator, name: string) => async () => {
  const cell = table.getByRole('row', { name }).getByRole('cell').first()
  // What React rendered last.
  const rendered = await cell.evaluateHandle(
    (one) => Object.entries(one).find(([key]) => key.startsWith('__reactProps'))![1],
  )
  const top = (await cell.boundingBox())!.y
  await table.locator('..').evaluate((scroller) => scroller.scrollBy(0, 41))
  await expect.poll(async () => (await cell.boundingBox())!.y).toBeLessThan(top)
  expect(
    await cell.evaluate((one, before) => Object.entries(one).some(([, value]) => value === before), rendered),
    'rendered again',
  ).toBe(true)
  await table.locator('..').evaluate((scroller) => scroller.scrollTo(0, 0))
}

test('of hundreds of Programs, only rows in view are in the document', async ({ freshRuntime, page }) => {
  const one = await freshRuntime.client.deployProgram(WORKS)
  const items = Array.from({ length: 300 }, (_, n) => ({ ...one, id: `program-${String(n).padStart(3, '0')}` }))
  await page.route(/\/v1\/programs\?/, (route) => route.fulfill({ json: { items, nextCursor: null } }))
  await page.goto(`${freshRuntime.url}/programs`)
  const table = page.getByRole('table', { name: 'Programs' })
  await expect(table.getByRole('link', { name: 'program-000' })).toBeVisible()
  await expect(table).toHaveAttribute('aria-rowcount', '301')
  expect(await table.getByRole('row').count()).toBeLessThan(60)
  await expect(scrollingKeeps(table, 'program-008'), 'rows that stay').toPass({ timeout: 60_000 })
  await page.keyboard.press('j')
  for (let n = 1; n < 40; n++) await page.keyboard.press('j')
  await expect(table.getByRole('link', { name: 'program-039' })).toBeFocused()
  await expect(table.getByRole('link', { name: 'program-000' })).toHaveCount(0)
  await axe(page)
})

test('figures are read only of the Programs at which scrolling ends', async ({ freshRuntime, page }) => {
  const one = await freshRuntime.client.deployProgram(WORKS)
  const items = Array.from({ length: 300 }, (_, n) => ({ ...one, id: `program-${String(n).padStart(3, '0')}` }))
  await page.route(/\/v1\/programs\?/, (route) => route.fulfill({ json: { items, nextCursor: null } }))
  await page.clock.install()
  await page.goto(`${freshRuntime.url}/programs`)
  const table = page.getByRole('table', { name: 'Programs' })
  await expect(table.getByRole('row', { name: 'program-000' })).toContainText('0')
  // Time stands still for the page while it is scrolled.
  await page.clock.pauseAt(Date.now() + 60_000)
  const asked = new Set<string | null>()
  page.on('request', (request) => {
    const { pathname, searchParams } = new URL(request.url())
    if (pathname.endsWith('/executions/counts')) asked.add(searchParams.get('programId'))
  })
  for (let tenth = 1; tenth < 10; tenth++) {
    const last = (await table.getByRole('link').last().textContent()) ?? ''
    await table
      .locator('..')
      .evaluate((scroller, part) => scroller.scrollTo({ top: part * scroller.scrollHeight }), tenth / 10)
    await expect(table.getByRole('link', { name: last })).toHaveCount(0)
  }
  await table.locator('..').evaluate((scroller) => scroller.scrollTo({ top: scroller.scrollHeight }))
  await page.clock.resume()
  await expect(table.getByRole('row', { name: 'program-299' })).toContainText('0')
  await expect.poll(() => asked.has('program-299')).toBe(true)
  expect(asked.size).toBeLessThan(60)
})

test('of hundreds of waits, only rows in view are in the document', async ({ freshRuntime, page }) => {
  await freshRuntime.client.deployProgram(program('orders', 'await ctx.waitForEvent(`order-${input.n}`)'))
  await Promise.all(Array.from({ length: 150 }, (_, n) => freshRuntime.client.start('orders', { n })))
  await page.goto(`${freshRuntime.url}/waiting`)
  const table = page.getByRole('table', { name: 'Waiting' })
  await expect(table).toHaveAttribute('aria-rowcount', '151')
  expect(await table.getByRole('row').count()).toBeLessThan(60)
  await axe(page)
})

const answerWaits = (page: Page, count: () => number) =>
  page.route(/\/v1\/waiting/, async (route) => {
    const items = Array.from({ length: count() }, (_, n) => ({
      kind: 'event',
      name: `event-${n}`,
      programId: 'gate',
      count: 1,
      oldestSince: new Date(1_700_000_000_000 + n).toISOString(),
      exampleExecutionId: 'exe_1',
    }))
    await route.fulfill({ json: { items, nextCursor: null } })
  })

for (const [screen, viewport] of [
  ['wide', { width: 1280, height: 720 }],
  ['narrow', { width: 390, height: 800 }],
] as const) {
  test(`a table on a ${screen} screen is where it was left when the user returns`, async ({ runtime, page }) => {
    await page.setViewportSize(viewport)
    await answerWaits(page, () => 60)
    await page.goto(`${runtime.url}/waiting`)
    const row = page.getByRole('table', { name: 'Waiting' }).getByRole('link', { name: 'event-50', exact: true })
    const top = () => row.evaluate((link) => link.getBoundingClientRect().top)
    await row.scrollIntoViewIfNeeded()
    const before = await top()
    await row.click()
    await expect(page).toHaveURL(/waitingName=event-50/)
    await expect(page.getByRole('status', { name: 'Connection' })).toBeInViewport()
    await page.goBack()
    await expect(row).toBeFocused()
    expect(await top()).toBe(before)
    await page.keyboard.press('j')
    await expect(page.getByRole('link', { name: 'event-51', exact: true })).toBeFocused()

    await page.keyboard.press('g')
    await page.keyboard.press('e')
    const failed = page.getByRole('group', { name: 'Status' }).getByRole('button', { name: /^failed/ })
    const height = () => failed.evaluate((button) => button.getBoundingClientRect().top)
    await failed.waitFor()
    await page.locator('#main').evaluate((main) => main.parentElement?.scrollTo(0, 40))
    await failed.click()
    await expect(page).toHaveURL(/status=failed/)
    const left = await height()
    await page.keyboard.press('g')
    await page.keyboard.press('p')
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('Programs')
    await page.goBack()
    await failed.waitFor()
    expect(await height(), 'with the filter that was set meanwhile').toBe(left)
  })
}

test('a table that has become long keeps the focus when rows go', async ({ freshRuntime, page }) => {
  const { client, url } = freshRuntime
  await client.deployProgram(WAITS)
  let count = 101
  await answerWaits(page, () => count)
  await page.goto(`${url}/waiting`)
  const table = page.getByRole('table', { name: 'Waiting' })
  await expect(table).toHaveAttribute('aria-rowcount', '102')
  await page.keyboard.press('j')
  await page.keyboard.press('j')
  await expect(table.getByRole('link', { name: 'event-1', exact: true })).toBeFocused()
  count = 99
  await client.start('gate')
  await expect(table).toHaveAttribute('aria-rowcount', '100')
  await expect(table.getByRole('link', { name: 'event-1', exact: true })).toBeFocused()
})

test('more than 100 versions and projects fit into a narrow page', async ({ freshRuntime, page }) => {
  const { client, url } = freshRuntime
  const { latestVersion } = await client.deployProgram(WORKS)
  const [project] = (await client.listProjects()).items
  const many = (of: (n: number) => object) => ({
    items: Array.from({ length: 150 }, (_, n) => of(n)),
    nextCursor: null,
  })
  await page.route(/\/v1\/programs\/hello\/versions/, (route) =>
    route.fulfill({ json: many((n) => ({ ...latestVersion, id: `v${n}`, number: 150 - n })) }),
  )
  await page.route(/\/v1\/projects(?:\?|$)/, (route) =>
    route.fulfill({ json: many((n) => (n === 0 ? project! : { ...project!, isDefault: false, id: `p${n}` })) }),
  )
  for (const [width, height] of [
    [1024, 720],
    [390, 800],
  ] as const) {
    await page.setViewportSize({ width, height })
    for (const [path, name] of [
      ['programs/hello', 'Versions'],
      ['projects', 'Projects'],
    ] as const) {
      await page.goto(`${url}/${path}`)
      const table = page.getByRole('table', { name })
      await expect(table).toHaveAttribute('aria-rowcount', '151')
      const tooWide = await table.evaluate(
        (element) =>
          [...element.querySelectorAll('tr:nth-child(-n + 5) > :is(th, td)')].filter(
            ({ scrollWidth, clientWidth }) => scrollWidth > clientWidth,
          ).length,
      )
      expect([path, width, tooWide]).toEqual([path, width, 0])
      expect(await table.locator('..').evaluate((element) => element.scrollWidth - element.clientWidth)).toBe(0)
    }
  }
})

test('the top of the page is one row on a phone', async ({ page, runtime }) => {
  await page.goto(`${runtime.url}/programs`)
  const places = ['Switch connection', 'Connect to hosted'].map((name) => page.getByRole('button', { name }))
  // 345: a scrollbar takes the rest of 360.
  for (const width of [390, 360, 345, 320]) {
    await page.setViewportSize({ width, height: 800 })
    const [first, last] = await Promise.all(places.map((place) => place.boundingBox()))
    expect(last!.y, `${width} pixels wide`).toBeLessThan(first!.y + first!.height)
  }
})

test('the longest id of a Program is shown in full on a phone', async ({ freshRuntime, page }) => {
  await freshRuntime.client.deployProgram({ ...WORKS, id: 'a'.repeat(64) })
  await page.setViewportSize({ width: 360, height: 640 })
  await page.goto(`${freshRuntime.url}/programs/${'a'.repeat(64)}`)
  const title = page.getByRole('heading', { level: 1 })
  await expect(title).toHaveText('a'.repeat(64))
  expect(await title.evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)).toBe(0)
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(360)
})

test('a source error shows file, line and code, until it is fixed, and a warning less', async ({
  freshRuntime,
  page,
}) => {
  const source = (body: string) =>
    "import { defineProgram } from 'workflow-execution-service'\n" +
    `export default defineProgram({ id: 'written' }, async () => ${body})\n`
  let held = Promise.resolve()
  await page.route(/\/v1\/source$/, async (route) => {
    await held
    await route.continue()
  })
  await page.goto(`${freshRuntime.url}/programs`)
  freshRuntime.write('programs/written.ts', source('('))
  const errors = page.getByRole('alert', { name: 'Source errors' })
  await expect(errors).toContainText('programs/written.ts:')
  const link = page.getByRole('link', { name: 'Programs' })
  await expect(link, 'which every screen shows').toContainText('1 error')
  await axe(page)
  await takeScreenshots(page, 'source-error')

  await freshRuntime.client.deployProgram(WORKS)
  const table = page.getByRole('table', { name: 'Programs' })
  await expect(table).toBeVisible()
  const answered = Promise.withResolvers<void>()
  held = answered.promise
  await page.reload()
  await expect(main(page).getByText('1 Program', { exact: true })).toBeVisible()
  await expect(table, 'which the errors would move').toHaveCount(0)
  answered.resolve()
  await expect(table).toBeVisible()
  await expect(errors).toBeVisible()

  freshRuntime.write('programs/written.ts', source('42'))
  await expect(table.getByRole('row', { name: /written/ })).toContainText('programs/written.ts')
  await expect(errors).toBeHidden()
  await expect(link).toHaveText('Programs')

  const warnings = page.getByRole('region', { name: 'Source warnings' })
  freshRuntime.write('programs/written.ts', source('42').replace('() => 42', 'ctx => { ctx.sleep(1); return 42 }'))
  await expect(warnings).toContainText('programs/written.ts:2:')
  await expect(warnings).toContainText('ctx.sleep is called without await')
  await expect(link, 'which tells of errors only').toHaveText('Programs')
  await takeScreenshots(page, 'source-warning')
  await table.getByRole('link', { name: 'written' }).click()
  await expect(main(page).getByRole('heading', { name: 'written' })).toBeVisible()
  await expect(warnings).toContainText('ctx.sleep is called without await')
  await axe(page)
  await takeScreenshots(page, 'source-warning-of-program')
  freshRuntime.write('programs/written.ts', source('42'))
  await expect(warnings).toBeHidden()
  await page.goto(`${freshRuntime.url}/programs`)

  const long = 'reminds-customers-of-overdue-payments-in-each-country'
  freshRuntime.write(`programs/${long}.ts`, source('42').replace('written', long))
  const path = table.getByTitle(`programs/${long}.ts`)
  await expect(path).toHaveText(`programs/${long}.ts`)
  const [cut, next, nextPx] = await path.evaluate((one) => {
    const folder = one.firstElementChild!
    const after = document.createRange()
    after.selectNode(folder.nextSibling!)
    return [folder.scrollWidth - folder.clientWidth, after.toString(), after.getBoundingClientRect().width]
  })
  expect(cut, 'the folder is cut').toBeGreaterThan(0)
  expect(next, 'what is after it').toBe('/')
  expect(nextPx).toBeGreaterThan(0)
})

test('a Program lists its versions, and compares two of them', async ({ freshRuntime, page }) => {
  const { client, url } = freshRuntime
  await client.deployProgram(program('hello', 'return 1'))
  await client.deployProgram(program('hello', 'return 2', { events: [{ name: 'go' }] }))
  await page.goto(`${url}/programs/hello`)
  const versions = page.getByRole('table', { name: 'Versions' })
  await expect(versions.getByRole('row')).toHaveCount(3)
  await takeScreenshots(page, 'program')
  await axe(page)
  await versions.getByRole('link', { name: 'Compare with previous' }).click()
  await expect(page).toHaveURL(/\/programs\/hello\/versions\/2\?against=1/)
  await expect(page.getByRole('button', { name: /manifest\.json changed/ })).toBeVisible()
  const code = page.getByLabel('Code of program.js')
  await expect(code).toContainText('return 2')
  await expect(code).toContainText('return 1')
  for (const [line, wash] of [
    ['.cm-changedLine', 'completed'],
    ['.cm-deletedChunk', 'failed'],
  ] as const) {
    const colour = await page.evaluate((name) => {
      const probe = document.body.appendChild(document.createElement('i'))
      probe.style.background = `var(--color-${name}-wash)`
      return getComputedStyle(probe).backgroundColor
    }, wash)
    await expect(code.locator(line).first()).toHaveCSS('background-color', colour)
  }
  await axe(page)
  await takeScreenshots(page, 'version-diff')
  // A window of 1280 × 800, enlarged to 200 %.
  await page.setViewportSize({ width: 640, height: 400 })
  const widthOf = async (one: Locator) => (await one.boundingBox())!.width
  const files = page.getByRole('navigation', { name: 'Files' })
  expect(await widthOf(files)).toBeLessThan((await widthOf(code)) * 0.6)
  await page.emulateMedia({ forcedColors: 'active' })
  await expect(code.locator('.cm-deletedChunk').first()).toHaveCSS('text-decoration-line', 'line-through')
  await page.emulateMedia({ forcedColors: null })

  const counted = Promise.withResolvers<void>()
  await page.route(/\/executions\/counts/, async (route) => counted.promise.then(() => route.continue()))
  await page.setViewportSize({ width: 390, height: 800 })
  await page.reload()
  await expect(page.getByText('Loading version 2')).toBeVisible()
  const moved = await watchShifts(page)
  counted.resolve()
  await expect(code).toContainText('return 2')
  expect(await moved(), 'below a header that has its height').toBeLessThan(0.02)
})

test('Metrics counts starts and ends, and a step links to its Executions', async ({ freshRuntime, page }) => {
  await fill(freshRuntime.client)
  // As of WebKitGTK where LANG is C.UTF-8: uPlot must load all the same.
  await page.addInitScript(() => Object.defineProperty(Navigator.prototype, 'language', { value: 'C' }))
  await page.goto(`${freshRuntime.url}/metrics?span=15m`)
  const totals = page.locator('dl[aria-label="Totals"]')
  await expect(totals).toContainText('Started8')
  await expect(totals).toContainText('Completed2')
  await expect(totals).toContainText('Failed2')
  await expect(page.getByRole('img', { name: /started, completed/ })).toBeVisible()
  await page.getByText('Show as a table').click()
  await expect(page.getByRole('table', { name: 'Metrics' }).getByRole('row')).not.toHaveCount(1)
  await axe(page)
  await takeScreenshots(page, 'metrics')
  const chart = page.locator('.wes-chart').first()
  const value = chart.locator('.u-value').last()
  await expect(chart.getByText('Cancelled', { exact: true })).toBeVisible()
  await expect(value, 'a value without a pointer').toBeHidden()
  await chart.hover()
  await expect(value).toBeVisible()
  await page.getByRole('table', { name: 'Metrics' }).getByRole('link').first().click()
  await expect(page).toHaveURL(/\/executions\?createdAfter=.*createdBefore=/)
})

test('a project is created by keyboard, shown, and left again', async ({ freshRuntime, page, allow }) => {
  await page.goto(`${freshRuntime.url}/projects`)
  await page.getByRole('button', { name: 'New project' }).focus()
  await page.keyboard.press('Enter')
  const dialog = page.getByRole('dialog', { name: 'New project' })
  await expect(dialog.getByLabel('Name')).toBeFocused()
  await axe(page)
  await page.keyboard.type('Billing')
  await page.keyboard.press('Enter')
  await expect(dialog).toBeHidden()
  const table = page.getByRole('table', { name: 'Projects' })
  await expect(table.getByRole('row', { name: /Billing/ })).toContainText('current')
  expect((await freshRuntime.client.listProjects()).items.map(({ name }) => name)).toEqual(['Default', 'Billing'])
  await takeScreenshots(page, 'projects')
  await axe(page)

  allow(/409/)
  await page.getByRole('button', { name: 'New project' }).click()
  await dialog.getByLabel('Name').fill('Billing')
  await page.keyboard.press('ControlOrMeta+Enter')
  await expect(dialog).toContainText(/exists|taken|already/i)

  allow(/ERR_FAILED/)
  await page.route('**/v1/projects', async (route) => {
    if (route.request().method() !== 'POST') return route.fallback()
    await route.fetch()
    await route.abort()
  })
  await dialog.getByLabel('Name').fill('Shipping')
  await page.keyboard.press('Enter')
  await expect(dialog).toContainText('There was no answer. The project may have been created all the same')
  await dialog.getByRole('button', { name: 'Close' }).last().click()
  await expect(table.getByRole('row', { name: /Shipping/ })).toBeVisible()

  for (let number = 1; number <= 40; number++) await freshRuntime.client.createProject({ name: `Team ${number}` })
  await page.reload()
  const switcher = page.getByRole('button', { name: 'Project: Billing' })
  const list = page.getByRole('dialog', { name: 'Projects' })
  await switcher.press('Enter')
  await expect(list.getByRole('combobox', { name: 'Find a project' })).toBeFocused()
  await expect(list.getByRole('option', { name: 'Billing', selected: true })).toBeInViewport()
  await expect(list.getByRole('button', { name: 'New project' })).toBeInViewport({ ratio: 0.9 })
  await axe(page)
  await page.keyboard.type('team 38')
  await expect(list.getByRole('option')).toHaveText(['Team 38'])
  await page.keyboard.press('Tab')
  await expect(list.getByRole('button', { name: 'New project' })).toBeFocused()
  await page.keyboard.press('Escape')
  await expect(switcher).toBeFocused()
  await switcher.click()
  await switcher.click()
  await expect(list).toBeHidden()
  await page.keyboard.press('Enter')
  await page.keyboard.type('defau')
  await page.keyboard.press('Enter')
  await expect(page.getByRole('button', { name: 'Project: Default' })).toBeFocused()
})

test('Settings shows the runtime and its folders, and stores theme and times', async ({ freshRuntime, page }) => {
  await page.goto(`${freshRuntime.url}/settings`)
  await expect(main(page)).toContainText(freshRuntime.dataDir)
  await expect(main(page)).toContainText(freshRuntime.projectFolder)
  await page.getByRole('combobox', { name: 'Theme' }).click()
  await page.getByRole('option', { name: 'Dark' }).click()
  await expect(page.locator('html')).toHaveAttribute('data-theme', 'dark')
  await page.reload()
  await expect(page.locator('html')).toHaveAttribute('data-theme', 'dark')
  await expect(main(page)).toContainText(freshRuntime.dataDir)
  await axe(page)
  await page.getByRole('combobox', { name: 'Theme' }).click()
  await page.getByRole('option', { name: 'System' }).click()
  await takeScreenshots(page, 'settings')
  await axe(page)
  await page.getByRole('button', { name: 'Licences' }).click()
  for (const text of ['quickjs-wasi', 'Fabrice Bellard', 'Daniel Lemire', 'react-dom'])
    await expect(page.getByRole('dialog', { name: 'Licences' })).toContainText(text)
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'Diagnostics…' }).click()
  await expect(page.getByRole('dialog', { name: 'Diagnostics' })).toContainText('"pid"')
})

test('a stopped runtime is shown, and no reload is needed when it is back', async ({ freshRuntime, page, allow }) => {
  allow(/net::ERR_|503/)
  await freshRuntime.client.deployProgram(WORKS)
  await page.goto(`${freshRuntime.url}/programs`)
  await expect(page.getByRole('status', { name: 'Connection' })).toHaveText('Local')
  await expect(page.getByRole('table', { name: 'Programs' })).toContainText('hello')
  await freshRuntime.kill()
  await expect(page.getByRole('status', { name: 'Availability' })).toContainText('does not answer')
  await expect(page.getByRole('table', { name: 'Programs' })).toContainText('hello')
  await takeScreenshots(page, 'runtime-lost')
  await freshRuntime.start()
  await freshRuntime.client.deployProgram(program('later', 'return 1'))
  await expect(page.getByRole('table', { name: 'Programs' })).toContainText('later')
  await expect(page.getByRole('status', { name: 'Availability' })).not.toContainText('does not answer')
})

test('the shortcuts are listed, and g with a letter opens a screen', async ({ runtime, page }) => {
  await page.goto(`${runtime.url}/settings`)
  await expect(page.getByRole('heading', { name: 'Settings' })).toBeVisible()
  await page.keyboard.press('?')
  await expect(page.getByRole('dialog', { name: 'Shortcuts' })).toContainText('Go to Programs')
  await axe(page)
  await page.keyboard.press('Escape')
  await expect(page.getByRole('dialog')).toBeHidden()
  await page.keyboard.press('g')
  await page.keyboard.press('w')
  await expect(page).toHaveURL(/\/waiting$/)
  await expect(page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Waiting' })).toHaveAttribute(
    'aria-current',
    'page',
  )
})

test('where the system chooses the colours, the current screen and the focus look different', async ({ page }) => {
  await page.emulateMedia({ forcedColors: 'active' })
  await page.goto('/programs')
  const link = (name: string) => page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name })
  const looks = (name: string) =>
    link(name).evaluate((one) => {
      const { outlineStyle, backgroundColor } = getComputedStyle(one)
      return [outlineStyle, backgroundColor]
    })
  await expect(link('Programs')).toHaveAttribute('aria-current', 'page')
  await page.keyboard.press('Tab')
  await link('Waiting').focus()
  const [, plain] = await looks('Errors')
  expect(await looks('Waiting')).toEqual(['solid', plain])
  expect(await looks('Programs')).toEqual(['none', expect.not.stringContaining(plain!)])
  await page.emulateMedia({ forcedColors: null })
})

test('screen readers say which screen is shown after a step within the page', async ({ page }) => {
  await page.goto('/')
  await expect(page.getByRole('heading', { level: 1, name: 'Executions' })).toBeVisible()
  await page.evaluate(() => {
    const announced: string[] = ((window as unknown as { announced: string[] }).announced = [])
    const region = document.querySelector('p[aria-live="polite"]')!
    new MutationObserver(() => {
      if (region.textContent !== '') announced.push(region.textContent)
    }).observe(region, { subtree: true, childList: true, characterData: true })
  })
  const announced = () => page.evaluate(() => (window as unknown as { announced: string[] }).announced)
  await page.keyboard.press('g')
  await page.keyboard.press('p')
  await expect(page.getByRole('heading', { level: 1, name: 'Programs' })).toBeVisible()
  await expect.poll(announced).toEqual(['Programs'])
  await page.getByRole('link', { name: 'Settings' }).click()
  await expect.poll(announced).toEqual(['Programs', 'Settings'])
})
