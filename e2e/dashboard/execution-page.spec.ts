// The screen of an Execution, with a real runtime.

import type { Locator, Page } from '@playwright/test'
import { seedExecutions } from '../../bench/seed-executions.ts'
import type { Execution, ProgramArtifact } from '../../src-sdk/contract-types.ts'
import type { ServiceClient } from '../../src-sdk/create-client.ts'
import type { DashboardRuntime } from './dashboard-runtime.ts'
import { shownIds } from './executions-list.test-support.ts'
import { axe, expect, takeScreenshots, test } from './fixtures.ts'

declare global {
  /** The intervals that a page has set, in ms. */
  var intervals: number[]
}

const program = (id: string, code: string): ProgramArtifact => ({
  format: 'wes.program/1',
  id,
  program: { code: `({ run: async (ctx, input) => {\n${code}\n} })` },
})

const EFFECTS = `import { defineEffect } from 'workflow-execution-service'
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))
export const reserve = defineEffect({ retry: { maxAttempts: 4, initialInterval: '200ms' } }, async (input: { sku: string; ms: number }, { attempt }) => {
  await pause(input.ms)
  if (input.sku === 'B-2' && attempt === 1) throw new Error('the warehouse is locked')
  return { reserved: input.sku, attempt }
})
export const unreachable = defineEffect({ retry: { maxAttempts: 9, initialInterval: '60s' } }, async () => {
  throw new Error('the carrier does not answer '.repeat(50) + 'at all')
})
export const charge = defineEffect({ retry: { maxAttempts: 2, initialInterval: '100ms' } }, async (input: { cents: number }) => {
  if (input.cents <= 9000) return { receipt: 'r-' + input.cents }
  /* ${'a long line '.repeat(20)} */ throw new Error('the card is declined', { cause: new RangeError('over the limit') })
})`
const SHOP = `import { defineProgram } from 'workflow-execution-service'
import { charge, reserve, unreachable } from './shop.effects.ts'
export default defineProgram({ id: 'shop', events: [{ name: 'approved' }] }, async (ctx, input: any) => {
  ctx.log.info('order ' + input.orderId)
  await Promise.all(['A-1', 'B-2', 'C-3'].map((sku, index) => reserve({ sku, ms: 20 + index * 30 })))
  ctx.log.warn('everything is reserved')
  if (input.unreachable) await Promise.all([unreachable(), ctx.waitForEvent('approved', { timeout: '3 days' }), ctx.sleep('2h')])
  return { orderId: input.orderId, paid: await charge({ cents: input.cents }) }
})
`
/** Logs each word that it gets as an event, until \`stop\`. */
const ECHO = program(
  'echo-words',
  `for (let heard = 0; ; heard++) {
     const { word } = await ctx.waitForEvent('word')
     if (word === 'stop') return { heard }
     ctx.log.info('heard ' + word)
   }`,
)
const MIXED = program(
  'mixed',
  `ctx.log.debug('begins'); ctx.log.info('a line'); ctx.log.warn('careful'); ctx.log.error('wrong\\nin two lines')
   await ctx.sleep(5)
   const { by } = await ctx.waitForEvent('approved', { timeout: '1h' })
   const failed = await ctx.effect('missing', { n: 1 }).catch((error) => error.name)
   return { by, failed, exact: [1.5, 'text', null], long: 'x'.repeat(5000) }`,
)

const deployShop = async (runtime: DashboardRuntime): Promise<void> => {
  runtime.write('programs/shop.effects.ts', EFFECTS)
  runtime.write('programs/shop.ts', SHOP)
  const isThere = async () => (await runtime.client.listPrograms()).items.some(({ id }) => id === 'shop')
  await expect.poll(isThere).toBe(true)
}

const isStatus = (client: ServiceClient, id: string, status: string) =>
  expect.poll(async () => (await client.getExecution(id)).status).toBe(status)

const runMixed = async (client: ServiceClient): Promise<string> => {
  await client.deployProgram(MIXED)
  const execution = await client.start('mixed', { order: 7 })
  await execution.send('approved', { by: 'Ada' })
  await execution.result()
  return execution.id
}

const grid = (page: Page, name: string) => page.getByRole('grid', { name, exact: true })
const pane = (page: Page) => page.getByRole('complementary', { name: 'Entry' })

test('shows an Execution and its actions', async ({ client, page, context }) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write'])
  const id = await runMixed(client)
  await page.goto(`/executions/${id}`)
  const main = page.getByRole('main')
  await expect(main.getByRole('heading', { level: 1 })).toContainText('mixed')
  await expect(main.getByText('completed', { exact: true }).first()).toBeVisible()
  await expect(main.getByRole('link', { name: 'mixed' })).toHaveAttribute('href', /\/programs\/mixed$/)
  await expect(main.getByRole('link', { name: /^version \d+$/ })).toHaveAttribute(
    'href',
    /\/programs\/mixed\/versions\/\d+/,
  )
  await expect(main.getByRole('link', { name: 'Back to the list' })).not.toHaveAttribute('aria-current')
  await main.getByRole('button', { name: 'Copy the id' }).click()
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(id)
  await main.getByRole('button', { name: 'Copy as' }).click()
  await page.getByRole('menuitem', { name: 'Read: CLI' }).click()
  await expect(page.getByText('Copied as CLI')).toBeVisible()
  expect(await page.evaluate(() => navigator.clipboard.readText())).toContain(id)

  // As over plain HTTP under a name.
  const clipboard = await page.evaluateHandle(() => {
    const { clipboard } = navigator
    Object.defineProperty(navigator, 'clipboard', { value: undefined, configurable: true })
    return clipboard
  })
  await main.getByRole('button', { name: 'Copy the id' }).click()
  expect(await clipboard.evaluate((it) => it.readText())).toBe(id)
  await main.getByRole('button', { name: 'Copy as' }).click()
  await page.getByRole('menuitem', { name: 'Read: curl' }).click()
  await expect(page.getByText('Copied as curl')).toBeVisible()
  expect(await clipboard.evaluate((it) => it.readText())).toContain('curl')

  await expect(main.getByRole('button', { name: 'Run again', exact: true })).not.toHaveAttribute('aria-disabled')
  for (const name of ['Send event', 'Cancel execution']) {
    const button = main.getByRole('button', { name, exact: true })
    await expect(button).toHaveAttribute('aria-disabled', 'true')
    await button.hover()
    await expect(page.getByText(/This Execution is (already )?completed/).first()).toBeVisible()
  }
  await main.getByRole('button', { name: 'More actions' }).click()
  await expect(page.getByRole('menuitem', { name: 'Delete…' })).toBeVisible()
})

test('shows what an Execution waits for, and the timeout', async ({ runtime, client, page }) => {
  await deployShop(runtime)
  const { id } = await client.start('shop', { orderId: 'A-7', cents: 100, unreachable: true })
  await page.addInitScript(() => {
    const { setInterval } = globalThis
    globalThis.intervals = []
    globalThis.setInterval = ((handler: () => void, ms: number) => {
      globalThis.intervals.push(ms)
      return setInterval(handler, ms)
    }) as typeof setInterval
  })
  await page.goto(`/executions/${id}`)
  const waiting = page.getByRole('region', { name: 'Waiting for' })
  await expect(waiting.getByRole('listitem').filter({ hasText: 'approved' })).toContainText(/times out in 2 d 23 h/)
  await expect(waiting.getByRole('listitem').filter({ hasText: 'timer' })).toContainText(/wakes in 1 h 59 min/)
  await expect(waiting.getByRole('listitem').filter({ hasText: 'unreachable' })).toContainText(/attempt 2 in \d+ s/)
  const send = waiting.getByRole('button', { name: 'Send approved' })
  await expect(send).toBeVisible()
  expect((await send.boundingBox())!.height, 'lower than its row').toBe(24)
  const leftOf = async (row: Locator) => (await row.boundingBox())!.x
  const times = await Promise.all(
    [/^for \d/, /^wakes in/, /attempt failed$/].map((text) => leftOf(waiting.getByText(text))),
  )
  expect(new Set(times).size, 'one column of times').toBe(1)
  const row = grid(page, 'Timeline').getByRole('row', { name: /unreachable/ })
  await expect(row).toContainText('backing off')
  const intervals = await page.evaluate(() => globalThis.intervals)
  expect(Math.min(...intervals), 'its times change once a second, and nothing more often').toBe(1_000)
  await axe(page)
  await takeScreenshots(page, 'execution-waiting')
  const effect = waiting.getByRole('listitem').filter({ hasText: 'unreachable' })
  const retry = effect.getByRole('button', { name: 'Retry now' })
  const left = (await retry.boundingBox())!.x
  const reloadWithNextAttempt = async (inMs: number): Promise<void> => {
    const nextAttemptAt = new Date(Date.now() + inMs).toISOString()
    await page.unrouteAll({ behavior: 'wait' })
    await page.route(`**/v1/executions/${id}`, async (route) => {
      const execution = (await (await route.fetch()).json()) as Execution
      const waitingFor = execution.waitingFor.map((one) => (one.kind === 'effect' ? { ...one, nextAttemptAt } : one))
      await route.fulfill({ json: { ...execution, waitingFor } })
    })
    await page.reload()
  }
  await reloadWithNextAttempt(9_900)
  await expect(effect).toContainText(/attempt 2 in \d s/)
  expect((await retry.boundingBox())!.x, 'where it was beside a longer time').toBe(left)
  const highPx = (await effect.boundingBox())!.height
  await reloadWithNextAttempt(-1_000)
  await expect(effect).toContainText('attempt 2 is running')
  await expect(effect.getByRole('button', { name: 'Retry now' })).toHaveCount(0)
  await expect.poll(async () => (await effect.boundingBox())!.height, 'as high as before').toBe(highPx)
})

test('a long error keeps its lines, says each once, and leaves room for the timeline', async ({
  deploy,
  client,
  page,
}) => {
  const lines = ['first', 'x'.repeat(400), ...Array.from({ length: 40 }, (_, line) => `line ${line}`)]
  await deploy(program('long-error', `throw new Error(${JSON.stringify(lines.join('\n'))})`))
  const { id } = await client.start('long-error')
  await isStatus(client, id, 'failed')
  await page.setViewportSize({ width: 853, height: 600 })
  await page.goto(`/executions/${id}`)
  const error = page.getByRole('region', { name: 'Error' })
  await expect(error.getByText('line 39')).toHaveCount(1)
  expect(await error.innerText()).toContain('line 38\nline 39')
  expect(await error.evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)).toBe(0)
  const timeline = page.getByRole('grid', { name: 'Timeline' })
  await expect.poll(async () => (await timeline.boundingBox())?.height).toBeGreaterThan(160)
  await takeScreenshots(page, 'execution-failed-long')
})

test('shows why an Execution failed, with each attempt and its causes', async ({ runtime, client, page }) => {
  await deployShop(runtime)
  const { id } = await client.start('shop', { orderId: 'A-8', cents: 9_900 })
  await isStatus(client, id, 'failed')
  const history = Promise.withResolvers<void>()
  const code = Promise.withResolvers<void>()
  await page.route(/\/history(?:\?|$)/, async (route) => history.promise.then(() => route.continue()))
  await page.route(/\/artifact$/, async (route) => code.promise.then(() => route.continue()))
  await page.goto(`/executions/${id}`)
  const error = page.getByRole('region', { name: 'Error' })
  await expect(error).toContainText('EffectError')
  await expect(page.getByRole('tablist'), 'before the error has its height').toHaveCount(0)
  history.resolve()
  const top = (await page.getByRole('tablist').boundingBox())?.y
  code.resolve()
  await expect(error).toContainText('the card is declined')
  await expect(error).toContainText('effect_failed')
  await expect(error).toContainText('programs/shop.ts:')
  // The position in the effect, the cause and the code around it are visible without a click; the error links its entry.
  await expect(error).toContainText('programs/shop.effects.ts:13:')
  await expect(error).toContainText(/Caused by\s*RangeError: over the limit/)
  const frame = error.getByLabel('programs/shop.effects.ts, line 13')
  await expect(frame, 'fewer lines than elsewhere, at the end of the file').toHaveText(/^11.*12.*13.*throw.*14}\)\s*$/s)
  expect((await frame.boundingBox())?.height, 'of five lines').toBe(110)
  await expect(frame.getByText('new', { exact: true }), 'what threw').toBeInViewport({ ratio: 1 })
  await page.setViewportSize({ width: 390, height: 844 })
  await page.reload()
  await expect(frame.getByText('new', { exact: true }), 'also on a phone').toBeInViewport({ ratio: 1 })
  expect(await frame.evaluate((one) => one.scrollLeft)).toBeGreaterThan(0)
  await expect(frame.getByText('13', { exact: true }), 'with the number of its line').toBeInViewport({ ratio: 1 })
  const stacks = error.getByRole('group', { name: 'Stack' })
  for (const stack of await stacks.all())
    expect(await stack.evaluate((one) => one.scrollWidth - one.clientWidth), 'places that are cut').toBe(0)
  await page.setViewportSize({ width: 1280, height: 720 })
  expect((await page.getByRole('tablist').boundingBox())?.y, 'the tabs do not move').toBe(top)
  await error.getByRole('button', { name: 'EffectError: the card is declined' }).click()
  await expect(pane(page)).toContainText('effect_failed')
  await error.getByRole('button', { name: /failed after 2 attempts/ }).click()
  await error.getByRole('button', { name: 'Attempt 2' }).click()
  await expect(pane(page)).toContainText('effect_failed')
  await expect(pane(page)).toContainText(/Caused by\s*RangeError: over the limit/)
  await expect(pane(page)).toContainText('programs/shop.effects.ts:')
  await axe(page)
  await takeScreenshots(page, 'execution-failed')
})

test('fires a timer, times out a wait and retries an effect early, and marks them as early', async ({
  runtime,
  client,
  page,
}) => {
  await deployShop(runtime)
  const { id } = await client.start('shop', { orderId: 'A-3', cents: 100, unreachable: true })
  await isStatus(client, id, 'waiting')
  await page.goto(`/executions/${id}`)
  const pending = page.getByRole('region', { name: 'Waiting for' })
  await expect(pending.getByRole('listitem')).toHaveCount(3)
  await expect(pending.getByRole('listitem').filter({ hasText: 'unreachable' })).toContainText('attempt 2 in')
  await pending.getByRole('button', { name: 'Show all' }).click()
  const message = pane(page).getByText(/^Error: .*the carrier does not answer at all$/)
  const cutPx = (await message.boundingBox())!.height
  await pane(page).getByRole('button', { name: 'Show all' }).click()
  expect((await message.boundingBox())!.height, 'all lines').toBeGreaterThan(cutPx)
  await pending
    .getByRole('listitem')
    .filter({ hasText: 'unreachable' })
    .getByRole('button', { name: 'Retry now' })
    .click()
  await expect(pending.getByRole('listitem').filter({ hasText: 'unreachable' })).toContainText('attempt 3 in')
  await pending.getByRole('listitem').filter({ hasText: 'timer' }).getByRole('button', { name: 'Fire now' }).click()
  await expect(pending.getByRole('listitem')).toHaveCount(2)
  await expect(
    page.getByRole('grid', { name: 'Timeline' }).getByRole('row').filter({ hasText: 'sleep' }),
  ).toContainText('early')
  await pending
    .getByRole('listitem')
    .filter({ hasText: 'approved' })
    .getByRole('button', { name: 'Time out now' })
    .click()
  await isStatus(client, id, 'failed')
  await page.getByRole('tab', { name: 'History' }).click()
  await expect(page.getByRole('grid', { name: 'History' })).toContainText('fired early')
  await expect(page.getByRole('grid', { name: 'History' })).toContainText('timed out early')
})

test('groups a fan-out, starts at its first row, and opens it', async ({ deploy, client, page }) => {
  await deploy(
    program(
      'fan-out',
      "await Promise.allSettled(Array.from({ length: 200 }, (_, n) => ctx.effect('readSales', { n })))",
    ),
  )
  const { id } = await client.start('fan-out')
  await isStatus(client, id, 'completed')
  await page.goto(`/executions/${id}`)
  const timeline = page.getByRole('grid', { name: 'Timeline' })
  const group = timeline.getByRole('button', { name: 'readSales × 200' })
  await expect(timeline).toContainText(/p50 .* · 200 failed/)
  expect(await timeline.evaluate((one) => one.scrollTop)).toBe(0)
  await axe(page)
  await group.click()
  await expect(group).toHaveAttribute('aria-expanded', 'true')
  await expect(timeline).toHaveAttribute('aria-rowcount', '203')
  await group.click()
  await expect(timeline).toHaveAttribute('aria-rowcount', '3')
})

test('shows commands, attempts and single entries on a timeline', async ({ runtime, client, page }) => {
  await deployShop(runtime)
  const { id } = await client.start('shop', { orderId: 'A-9', cents: 100 })
  await isStatus(client, id, 'completed')
  await page.goto(`/executions/${id}`)
  const timeline = grid(page, 'Timeline')
  await expect(timeline.getByRole('row', { name: /reserve/ })).toHaveCount(3)
  await expect(timeline.getByRole('row', { name: /charge/ })).toContainText(/completed after/)
  await expect(timeline.getByRole('row', { name: /2 attempts/ })).toHaveCount(1)
  await expect(timeline.getByRole('row', { name: /^Logs/ })).toContainText('2 entries')

  await timeline.focus()
  await page.keyboard.press('End')
  await expect(page).toHaveURL(/entry=\d+/)
  await expect(pane(page)).toContainText('effect_scheduled')
  await page.keyboard.press('ArrowRight')
  await expect(pane(page)).toContainText('effect_completed')
  await page.keyboard.press('z')
  await expect(timeline.getByRole('row', { name: /reserve/ })).not.toHaveCount(3)
  await page.keyboard.press('0')
  await expect(timeline.getByRole('row', { name: /reserve/ })).toHaveCount(3)
  await page.keyboard.press('Escape')
  await expect(pane(page)).toHaveCount(0)

  const plot = timeline.getByRole('columnheader', { name: 'Time since start' })
  const box = (await plot.boundingBox())!
  await page.mouse.move(box.x + 2, box.y + 60)
  await page.mouse.down()
  await page.mouse.move(box.x + box.width * 0.05, box.y + 60, { steps: 4 })
  await page.mouse.up()
  await expect(timeline.getByRole('row', { name: /charge/ })).toHaveCount(0)
  await page.getByRole('button', { name: /^Zoom to fit/ }).click()
  await expect(timeline.getByRole('row', { name: /charge/ })).toHaveCount(1)
  await axe(page)
  await checkContrastTheme(page)
  await takeScreenshots(page, 'execution-timeline')
})

/** Checks that bars keep their colours, and what is selected its mark, where the system chooses the colours. */
const checkContrastTheme = async (page: Page): Promise<void> => {
  const bar = grid(page, 'Timeline')
    .getByRole('row', { name: /charge/ })
    .locator('[data-position]')
    .first()
  const colour = await bar.evaluate((one) => getComputedStyle(one).backgroundColor)
  await page.emulateMedia({ forcedColors: 'active' })
  await expect(bar).toHaveCSS('background-color', colour)
  const lineOf = (name: string) =>
    page.getByRole('tab', { name }).evaluate((tab) => getComputedStyle(tab).borderBottomColor)
  const transparent = 'rgba(0, 0, 0, 0)'
  expect(await lineOf('History'), 'the line below all tabs is seen through it').toBe(transparent)
  expect(await lineOf('Timeline')).not.toBe(transparent)
  await page.getByRole('button', { name: 'More actions' }).hover()
  const hint = page.getByText('More actions', { exact: true })
  await expect(hint).toBeVisible()
  expect(await hint.evaluate((one) => getComputedStyle(one).outline)).toMatch(/rgb\(.* solid/)
  await page.getByRole('button', { name: 'More actions' }).click()
  await page.keyboard.press('ArrowDown')
  await expect(page.getByRole('menuitem').first()).toHaveCSS('outline-style', 'solid')
  await page.keyboard.press('Escape')
  await page.emulateMedia({ forcedColors: null })
}

test('shows the history, compact or in full, filtered, with one selection for all views', async ({ client, page }) => {
  const id = await runMixed(client)
  await page.goto(`/executions/${id}`)
  await page.getByRole('tab', { name: 'History' }).click()
  await expect(page).toHaveURL(/tab=history/)
  const history = grid(page, 'History')
  const rows = history.getByRole('row')
  await expect(history.getByRole('row', { name: /execution_started/ })).toBeVisible()
  await expect(history.getByRole('row', { name: /wait_scheduled/ })).toContainText('delivered after')
  await expect(history.getByRole('row', { name: /timer_fired/ })).toHaveCount(0)
  await page.getByRole('button', { name: 'Full' }).click()
  await expect(history.getByRole('row', { name: /timer_fired/ })).toHaveCount(1)
  await expect(page).toHaveURL(/view=full/)

  await page.getByRole('button', { name: 'Logs', exact: true }).click()
  await expect(rows).toHaveCount(5)
  await expect(page).toHaveURL(/type=log/)
  await page.getByRole('textbox', { name: 'Search the history' }).fill('careful')
  await expect(rows).toHaveCount(2)
  await page.getByRole('textbox', { name: 'Search the history' }).fill('nowhere')
  await expect(page.getByText('No entry matches')).toBeVisible()
  await page.getByRole('button', { name: 'Clear the filter' }).click()

  await history.getByRole('row', { name: /event_received/ }).click()
  await expect(pane(page)).toContainText('approved')
  await pane(page)
    .getByRole('button', { name: /delivered/ })
    .click()
  await expect(history.getByRole('row', { name: /event_delivered/ })).toHaveAttribute('aria-selected', 'true')
  await page.getByRole('tab', { name: 'Timeline' }).click()
  await expect(grid(page, 'Timeline').getByRole('row', { name: /approved/ })).toHaveAttribute('aria-selected', 'true')
  await page.goBack()
  await takeScreenshots(page, 'execution-history')
  await page.reload()
  await expect(pane(page)).toContainText('event_delivered')
})

test('keeps what happened in sight beside long names, also in a narrow window', async ({ client, page }) => {
  const id = 'reminder-of-the-department-of-'.repeat(4)
  const name = 'e'.repeat(190)
  await client.deployProgram(program(id, `await ctx.waitForEvent('${name}')`))
  const execution = await client.start(id)
  await isStatus(client, execution.id, 'waiting')
  await page.goto(`/executions/${execution.id}?tab=history`)
  const row = grid(page, 'History').getByRole('row', { name: /wait_scheduled/ })
  await expect(row.getByText(/^waiting for/)).toBeInViewport({ ratio: 1 })

  await page.setViewportSize({ width: 420, height: 800 })
  const main = page.getByRole('main')
  const left = async (text: string) => (await main.getByText(text, { exact: true }).first().boundingBox())!.x
  expect(await left('version 1')).toBe(await left('Id'))
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(420)
  const icon = main.getByRole('region', { name: 'Waiting for' }).locator('svg').first()
  expect((await icon.boundingBox())!.width).toBe(14)
})

test('a row stays in view when its pane makes the rows higher', async ({ client, page }) => {
  await client.deployProgram(
    program('long-log', `for (let n = 1; n <= 300; n++) ctx.log.info('line ' + n + ' of 300'); return null`),
  )
  const { id } = await client.start('long-log')
  await isStatus(client, id, 'completed')
  await page.setViewportSize({ width: 1024, height: 800 })
  await page.goto(`/executions/${id}?tab=logs`)
  const logs = grid(page, 'Logs')
  await expect(logs.getByRole('row').nth(1)).toBeVisible()
  await logs.evaluate((element) => (element.scrollTop = element.scrollHeight / 2))
  await logs.getByText('line 150 of 300').click()
  await expect(page).toHaveURL(/entry=/)
  await expect(logs).toHaveAttribute('data-narrow')
  await expect(logs.getByRole('row', { selected: true })).toBeInViewport({ ratio: 1 })
})

test('finds text in large data, which it reads again', async ({ client, page }) => {
  const id = await runMixed(client)
  await page.goto(`/executions/${id}?tab=history&q=xxxxxxxxxxxxx`)
  const row = grid(page, 'History').getByRole('row', { name: /execution_completed/ })
  await expect(row).toBeVisible()
  await row.click()
  await expect(pane(page).getByRole('region', { name: 'Data' })).toContainText('failed')
})

test('can be used by keyboard', async ({ client, page }) => {
  const id = await runMixed(client)
  await page.goto(`/executions/${id}?tab=history&view=full`)
  const history = grid(page, 'History')
  await expect(history.getByRole('row', { name: /execution_completed/ })).toBeVisible()
  await page.keyboard.press('j')
  await expect(history).toBeFocused()
  await page.keyboard.press('j')
  await expect(page).toHaveURL(/entry=2/)
  await page.keyboard.press('End')
  await expect(history.getByRole('row', { name: /execution_completed/ })).toHaveAttribute('aria-selected', 'true')
  const edge = page.getByRole('separator', { name: 'Width of Entry' })
  const width = Number(await edge.getAttribute('aria-valuenow'))
  await edge.focus()
  await page.keyboard.press('ArrowLeft')
  await expect(edge).toHaveAttribute('aria-valuenow', String(width + 24))
  const least = Number(await edge.getAttribute('aria-valuemin'))
  for (let px = width + 24; px > least; px -= 24) await page.keyboard.press('ArrowRight')
  await expect(edge).toHaveAttribute('aria-valuenow', String(least))
  await expect(pane(page).getByRole('button', { name: 'Close the entry' })).toBeInViewport({ ratio: 1 })
  await page.keyboard.press('/')
  await expect(page.getByRole('textbox', { name: 'Search the history' })).toBeFocused()
  await page.keyboard.press('Escape')
  await page.keyboard.press('Escape')
  await expect(pane(page)).toHaveCount(0)
  // Low windows and a phone have no room for an entry beside the history or below it.
  for (const [width, height] of [
    [911, 512],
    [640, 360],
    [390, 800],
  ] as const) {
    await page.setViewportSize({ width, height })
    await page.keyboard.press('j')
    await expect(pane(page)).toBeFocused()
    await expect(history).toBeHidden()
    await page.keyboard.press('k')
    await page.keyboard.press('j')
    await expect(pane(page).getByRole('heading', { name: '#2' })).toBeVisible()
    await axe(page)
    await pane(page).getByRole('button', { name: 'Close the entry' }).click()
    await expect(pane(page)).toHaveCount(0)
    await expect(history).toBeFocused()
  }
  const steps = await page.evaluate(() => globalThis.history.length)
  await page.keyboard.press('j')
  await page.keyboard.press('j')
  await expect(page).toHaveURL(/&entry=2$/)
  await page.goBack()
  await expect(pane(page), 'Back closes it, however many were looked at').toHaveCount(0)
  await expect(history).toBeFocused()
  await page.goForward()
  await expect(pane(page).getByRole('heading', { name: '#2' })).toBeVisible()
  await page.keyboard.press('Escape')
  await expect(page).not.toHaveURL(/entry=/)
  expect(await page.evaluate(() => globalThis.history.length), 'closing adds no step').toBe(steps)
  await page.getByRole('tab', { name: 'History' }).focus()
  await page.keyboard.press('ArrowRight')
  await page.keyboard.press('Enter')
  await expect(page).toHaveURL(/tab=data/)
})

test('shows input and result', async ({ client, page }) => {
  const id = await runMixed(client)
  await page.goto(`/executions/${id}?tab=data`)
  await expect(page.getByRole('region', { name: 'Input' })).toContainText('order')
  await expect(page.getByRole('region', { name: 'Result' })).toContainText('Ada')
  const values = grid(page, 'Events and effects')
  await values.getByRole('row', { name: /event payload/ }).click()
  await expect(page.getByRole('region', { name: 'approved event payload' })).toContainText('Ada')
  const search = page.getByRole('textbox', { name: 'Search events and effects' })
  await search.fill('"ada"')
  await expect(values.getByRole('row'), 'a value is found').toHaveCount(2)
  await search.fill('nobody')
  await page.getByRole('button', { name: 'Clear the search' }).last().click()
  await expect(search).toHaveValue('')
  await axe(page)
  await takeScreenshots(page, 'execution-data')
  await page.setViewportSize({ width: 960, height: 540 })
  for (const name of ['Input', 'Result']) {
    const lines = page.getByRole('tree', { name }).getByRole('treeitem')
    await expect(lines.nth(1)).toBeInViewport({ ratio: 1 })
  }
  await expect(values.getByRole('row').nth(1)).toBeInViewport({ ratio: 1 })
})

test('shows logs by level and text, and copies them', async ({ client, page, context }) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write'])
  const id = await runMixed(client)
  await page.goto(`/executions/${id}?tab=logs`)
  const logs = grid(page, 'Logs')
  await expect(logs.getByRole('row')).toHaveCount(5)
  await page.getByRole('button', { name: 'warn 1' }).click()
  await page.getByRole('button', { name: 'error 1' }).click()
  await expect(logs.getByRole('row')).toHaveCount(3)
  await expect(page).toHaveURL(/level=warn&level=error/)
  await page.getByRole('button', { name: 'Copy', exact: true }).click()
  await expect(page.getByText('2 logs copied')).toBeVisible()
  const copied = await page.evaluate(() => navigator.clipboard.readText())
  expect(copied).toMatch(/^\d{4}-\S+Z warn {2}careful\n\d{4}-\S+Z error wrong\nin two lines$/)
  await page.getByRole('combobox', { name: 'Times' }).click()
  await page.getByRole('option', { name: 'Since start' }).click()
  await expect(logs.getByRole('row', { name: /careful/ })).toContainText('+0 ms')
  await expect(page.getByRole('listbox')).toHaveCount(0)
  await axe(page)
  await takeScreenshots(page, 'execution-logs')
})

test('grows while the Execution runs, and announces status changes', async ({ client, page }) => {
  await client.deployProgram(ECHO)
  const execution = await client.start('echo-words')
  await page.goto(`/executions/${execution.id}?tab=logs`)
  await expect(page.getByText('No logs')).toBeVisible()
  const took: number[] = []
  for (const word of ['one', 'two', 'three', 'four']) {
    const shown = page.getByRole('row', { name: `heard ${word}` })
    const began = performance.now()
    await execution.send('word', { word })
    await shown.waitFor()
    took.push(Math.round(performance.now() - began))
  }
  test.info().annotations.push({ type: 'ms from event to screen', description: took.join(', ') })
  await execution.send('word', { word: 'stop' })
  await expect(page.getByRole('status', { name: 'Status of the Execution' })).toHaveText(
    'The Execution is completed now',
  )
  await expect(page.getByRole('button', { name: 'Cancel execution' })).toHaveAttribute('aria-disabled', 'true')
})

test('continues when the runtime is back', async ({ freshRuntime, page, allow }) => {
  allow(/Failed to load resource|ERR_CONNECTION|ERR_INCOMPLETE|net::/)
  await freshRuntime.client.deployProgram(ECHO)
  const execution = await freshRuntime.client.start('echo-words')
  await page.goto(`${freshRuntime.url}/executions/${execution.id}?tab=history`)
  await expect(page.getByRole('row', { name: /wait_scheduled/ })).toBeVisible()
  await freshRuntime.kill()
  await expect(page.getByRole('status', { name: 'Availability' })).toContainText('does not answer')
  await expect(page.getByRole('row', { name: /wait_scheduled/ })).toBeVisible()
  await freshRuntime.start()
  await execution.send('word', { word: 'again' })
  await expect(page.getByRole('row', { name: /heard again/ })).toBeVisible()
})

test('opens actions with single keys', async ({ client, page }) => {
  await client.deployProgram(ECHO)
  const execution = await client.start('echo-words')
  await page.goto(`/executions/${execution.id}`)
  await expect(page.getByRole('region', { name: 'Waiting for' })).toContainText('word')
  for (const [key, name] of [
    ['e', 'Send event'],
    ['r', 'Run again'],
    ['c', 'Cancel execution'],
  ] as const) {
    await page.keyboard.press(key)
    const dialog = page.getByRole('dialog', { name })
    await dialog.getByLabel('Close', { exact: true }).first().click()
    await expect(dialog).toBeHidden()
  }
  await page.getByRole('button', { name: 'Send word' }).click()
  await expect(page.getByRole('dialog', { name: 'Send event' })).toContainText('word')
})

test('screen readers do not hear of each new entry while the Execution goes on', async ({ client, page }) => {
  await client.deployProgram(ECHO)
  const { id } = await client.start('echo-words')
  await client.sendEvent(id, 'word', { word: 'first' })
  const loaded = page.getByRole('status', { name: 'History loaded' })
  for (const tab of ['timeline', 'history', 'data', 'logs']) {
    await page.goto(`/executions/${id}?tab=${tab}`)
    await expect(loaded).toHaveAttribute('aria-live', 'off')
  }
  await client.sendEvent(id, 'word', { word: 'stop' })
  await expect(loaded).toHaveAttribute('aria-live', 'polite')
})

test('is quick with a long history', async ({ freshRuntime, page }) => {
  await freshRuntime.stop()
  const { longHistoryId } = await seedExecutions({
    dataDir: freshRuntime.dataDir,
    executions: 0,
    historyEntries: 20_000,
    historyCommands: 4_000,
    spreadMs: 86_400_000,
  })
  await freshRuntime.start()
  await page.goto(`${freshRuntime.url}/executions/${longHistoryId}?tab=history&view=full`)
  const history = grid(page, 'History')
  await expect(history.getByRole('row', { name: /execution_started/ })).toBeVisible()
  await expect(page.getByRole('status', { name: 'History loaded' })).toHaveText('20,000 entries')
  await history.focus()
  await page.keyboard.press('End')
  await expect(history.getByRole('row', { name: /execution_completed/ })).toBeVisible()
  expect(await history.getByRole('row').count()).toBeLessThan(120)
  await expect(history).toHaveAttribute('aria-rowcount', '20001')
  await page.getByRole('textbox', { name: 'Search the history' }).fill('step 3987, line 1')
  await expect(page.getByRole('status', { name: 'History loaded' })).toHaveText('1 of 20,000 entries')
  await page.goto(`${freshRuntime.url}/executions/${longHistoryId}`)
  const timeline = grid(page, 'Timeline')
  await expect(timeline).toHaveAttribute('aria-rowcount', '4004')
  expect(await timeline.getByRole('row').count()).toBeLessThan(120)
  await takeScreenshots(page, 'execution-long')
})

test('keeps the focus while it repeats a failed request', async ({ page, allow }) => {
  allow(/404/)
  const asked: string[] = []
  page.on('response', (response) => response.url().endsWith('/v1/executions/exe_unknown') && asked.push('again'))
  // The page reads everything again once it hears of changes, here only after the focus has moved.
  const focused = Promise.withResolvers<void>()
  await page.route(/\/v1\/changes/, async (route) => {
    await focused.promise
    await route.continue()
  })
  await page.goto('/executions/exe_unknown')
  const wayOut = page.getByRole('link', { name: 'Go to Executions' })
  await wayOut.focus()
  const before = asked.length
  focused.resolve()
  await expect.poll(() => asked.length).toBeGreaterThan(before)
  await expect(wayOut).toBeFocused()
})

test('reports an unknown or deleted Execution', async ({ client, page, allow }) => {
  allow(/404/)
  await page.goto('/executions/exe_none')
  await expect(page.getByRole('heading', { name: 'Execution not found' })).toBeVisible()
  await expect(page.getByText('it may be in another data directory')).toBeVisible()
  await expect(page.getByRole('main').getByRole('link', { name: 'Go to Executions' })).toBeVisible()
  await axe(page)

  const id = await runMixed(client)
  await page.goto(`/executions/${id}?tab=history`)
  await expect(page.getByRole('row', { name: /execution_completed/ })).toBeVisible()
  await page.getByRole('button', { name: 'More actions' }).click()
  await page.getByRole('menuitem', { name: 'Delete…' }).click()
  const dialog = page.getByRole('dialog', { name: 'Delete execution' })
  await expect(dialog.getByRole('button', { name: 'Delete execution' })).toBeEnabled()
  await client.deleteExecution(id)
  await expect(dialog.getByRole('status')).toHaveText('This Execution was deleted.')
  await dialog.getByRole('button', { name: 'Close', exact: true }).last().click()
  await expect(page.getByText(/This Execution was deleted/).first()).toBeVisible()
  await expect(page.getByRole('row', { name: /execution_completed/ })).toBeVisible()
  await expect(page.getByRole('button', { name: 'Run again' })).toHaveAttribute('aria-disabled', 'true')
})

test('has no axe violations in the dark theme', async ({ client, page }) => {
  const id = await runMixed(client)
  await page.emulateMedia({ colorScheme: 'dark' })
  for (const tab of ['timeline', 'history', 'data', 'logs']) {
    await page.goto(`/executions/${id}?tab=${tab}&entry=4`)
    await expect(page.getByRole('grid').first()).toBeVisible()
    await axe(page)
  }
})

test('a long label without spaces is wrapped', async ({ deploy, client, page }) => {
  const code = "({ run: async (ctx) => ctx.waitForEvent('go'), label: () => 'L'.repeat(200) })"
  await deploy({ format: 'wes.program/1', id: 'labelled-long', program: { code } })
  const { id } = await client.start('labelled-long')
  await page.setViewportSize({ width: 911, height: 512 })
  await page.goto(`/executions/${id}`)
  const label = page.getByRole('main').getByText('L'.repeat(200))
  await expect(label).toBeVisible()
  const { x, width } = (await label.boundingBox())!
  expect(x + width, 'where the label ends').toBeLessThanOrEqual(911)
})

test('the label that a Program gives is in the header, and finds its Execution in the palette and in the list', async ({
  deploy,
  client,
  page,
}) => {
  const code = "({ run: async (ctx) => ctx.waitForEvent('go'), label: (input) => 'order ' + input.n })"
  await deploy({ format: 'wes.program/1', id: 'labelled', program: { code } })
  const { id } = await client.start('labelled', { n: 7 })
  await page.goto(`/executions/${id}`)
  await expect(page.locator('dl div', { hasText: 'Label' })).toContainText('order 7')
  await expect(page.getByRole('region', { name: 'Waiting for' })).toContainText(/for \d/)
  await axe(page)
  await takeScreenshots(page, 'execution-label')
  await page.keyboard.press('ControlOrMeta+k')
  await expect(page.getByRole('option', { name: `${id} labelled` })).toContainText('order 7')
  const other = await client.start('labelled', { n: 8 })
  await page.keyboard.type('ORDER 8')
  await expect(page.getByRole('option', { name: `${other.id} labelled` })).toContainText('order 8')
  await expect(page.getByRole('option', { name: `${id} labelled` })).toHaveCount(0)
  await page.goto('/executions')
  const search = page.getByRole('searchbox')
  await search.fill('ORDER 8')
  const none = page.getByRole('region', { name: 'No Execution matches' })
  await none.getByRole('button', { name: 'Search labels instead' }).click()
  await expect.poll(() => shownIds(page)).toEqual([other.id])
  await expect(page).toHaveURL(/label=ORDER\+8|label=ORDER%208/)
  await expect(page.getByRole('list', { name: 'Filters' })).toContainText('Label has “ORDER 8”')
  await expect(search).toHaveValue('ORDER 8')
  const searchIn = page.getByRole('combobox', { name: 'Search in' })
  await expect(searchIn).toHaveText('Label')
  await searchIn.click()
  await page.getByRole('option', { name: 'Id or error' }).click()
  await expect(search, 'gets the focus').toBeFocused()
  await expect(none).toContainText('Id or error has “ORDER 8”')
  await search.fill('order 7')
  await searchIn.click()
  await page.getByRole('option', { name: 'Label' }).click()
  await expect.poll(() => shownIds(page), 'moves what is typed').toEqual([id])
  await axe(page)
  await search.press('Escape')
  await expect.poll(() => shownIds(page)).toEqual(expect.arrayContaining([id, other.id]))
  await expect(search).toHaveValue('')
  await expect(search).toHaveAccessibleName('Search by label')

  await test.step('beside a search by id or error', async () => {
    await page.goto(`/executions?q=${id}&label=order+8`)
    await expect(search).toHaveValue(id)
    await searchIn.click()
    await page.getByRole('option', { name: 'Label' }).click()
    await expect(search).toHaveValue('order 8')
    await search.fill('')
    await expect.poll(() => shownIds(page)).toEqual([id])
    await page.keyboard.type('order 7')
    await expect(page).toHaveURL(/q=exe_[^&]+&label=order(\+|%20)7$/)
    await expect.poll(() => shownIds(page)).toEqual([id])
  })
})
