// The screens of a workspace on the hosted service: what it used and pays, its tokens, and the environment of effects.

import { readFile } from 'node:fs/promises'
import type { Locator, Page, Response } from '@playwright/test'
import { createClient } from '../../src-sdk/create-client.ts'
import { axe, expect, interceptFromTheStart, test as localTest } from './fixtures.ts'
import { artifact, signIn, test } from './hosted-fixtures.ts'
import { takeNarrowScreenshots } from './screenshots.test-support.ts'

/** Passes axe in both themes, and takes screenshots. */
const check = async (page: Page, name: string): Promise<void> => {
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
    await axe(page)
  }
  await takeNarrowScreenshots(page, name)
}

/** Fails where the page still has the secret. */
const expectForgotten = async (page: Page, secret: string): Promise<void> => {
  const kept = await page.evaluate(async () => {
    const fields = [...document.querySelectorAll('input, textarea')].map((field) => (field as HTMLInputElement).value)
    const databases = (await indexedDB.databases()).map(({ name }) => name)
    return JSON.stringify([{ ...localStorage }, { ...sessionStorage }, fields, databases, document.cookie])
  })
  expect(kept).not.toContain(secret)
  expect(await page.content()).not.toContain(secret)
  expect(page.url()).not.toContain(secret)
}

/** Collects what the service answers to the page. */
const collectAnswers = (page: Page): (() => Promise<string>) => {
  const answers: Response[] = []
  page.on('response', (answer) => {
    if (answer.url().includes('/v1/') && !answer.url().includes('/v1/changes')) answers.push(answer)
  })
  return async () => (await Promise.all(answers.map((answer) => answer.text().catch(() => '')))).join('\n')
}

test.beforeEach(interceptFromTheStart)

test('shows what ran, by project and Program, and saves it as CSV', async ({ page, hosted, project, allow }) => {
  await project.client.deployProgram(artifact('hello'))
  for (const name of ['Ada', 'Grace', 'Edsger']) await (await project.client.start('hello', { name })).result()
  await signIn(page, hosted)
  await page.goto(project.at('usage?groupBy=project&groupBy=program'))
  const row = page.getByRole('table', { name: 'Usage' }).getByRole('row', { name: new RegExp(`${project.name} hello`) })
  await expect(row.getByRole('cell').nth(1)).toHaveText('3')
  await expect(row.getByRole('link', { name: 'hello' })).toHaveAttribute('href', `/p/${project.id}/programs/hello`)
  await expect(row.getByRole('link', { name: project.name })).not.toHaveAttribute('aria-current')
  await expect(page.getByRole('img', { name: 'Executions per day' })).toBeVisible()
  await expect(page).toHaveTitle(/^Usage – /)
  await check(page, 'usage')
  // A laptop's window at 200 %.
  const before = page.viewportSize()!
  await page.setViewportSize({ width: 720, height: 450 })
  const link = page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Usage' })
  await expect(link).toBeInViewport({ ratio: 1 })
  await page.reload()
  await expect(link).toBeInViewport({ ratio: 1 })
  await page.setViewportSize(before)

  await page.getByRole('combobox', { name: 'Range' }).click()
  await page.getByRole('option', { name: 'Last 30 days' }).click()
  await expect(page).toHaveURL(/range=30d/)
  const totals = page.getByRole('table', { name: 'Usage' }).getByRole('row', { name: 'Total' })
  await expect(totals.getByRole('cell').last(), 'of stored data').toHaveText(/^average \d/)
  await expect(totals.getByRole('cell').first(), 'of Executions').toHaveText(/^\d/)
  await expect(page.getByText('it is the average, not the sum')).toBeVisible()
  await expect(page.getByRole('button', { name: /^Stored data, average/ })).toBeVisible()
  await page.getByRole('button', { name: /^Turns/ }).click()
  await expect(page).toHaveURL(/metric=turns/)
  await expect(row).toBeVisible()
  const saved = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Download CSV' }).click()
  const download = await saved
  expect(download.suggestedFilename()).toMatch(/^usage-\d{4}-\d\d-\d\d-to-\d{4}-\d\d-\d\d-by-project-program\.csv$/)
  const text = await readFile(await download.path(), 'utf8')
  expect(text).toContain(`${project.name},${project.id},hello,3,`)

  allow(/status of 400/)
  const none = { executions: 0, turns: 0, effectAttempts: 0, events: 0, computeMs: 0, storedBytes: 0 }
  const items = Array.from({ length: 2_000 }, (_, number) => ({ ...none, turns: 1, programId: `p-${number}` }))
  const tooMany = { error: { code: 'invalid_request', message: 'too many items' } }
  await page.route(/\/v1\/usage\?.*groupBy=program/, (route) => {
    const { searchParams } = new URL(route.request().url())
    if (searchParams.has('groupBy', 'day')) return route.fulfill({ status: 400, json: tooMany })
    const days = { from: searchParams.get('from'), to: searchParams.get('to') }
    return route.fulfill({ json: { ...days, items, total: { ...none, turns: 1_839_285_566 } } })
  })
  const group = (name: string) => page.getByRole('main').getByRole('button', { name, exact: true }).click()
  await group('Project')
  await expect(page.getByText('200 of 2,000 rows')).toBeVisible()
  await expect(page.getByRole('img', { name: 'Turns per day' }), 'of all Programs together').toBeVisible()
  await group('Day')
  await expect(page.getByText('too many items')).toBeVisible()
  await group('Program')
  await expect(page.getByRole('img', { name: 'Turns per day' })).toBeVisible()

  await page.getByRole('link', { name: 'Billing' }).click()
  await expect(page.getByRole('table', { name: 'Plan' }).getByRole('row')).toHaveCount(7)
  await expect(page.getByRole('table', { name: /^Invoice for/ })).toContainText('€0.00')
  await expect(page.getByText('No invoices yet')).toBeVisible()
  await check(page, 'billing')

  // Large numbers on a phone.
  await page.setViewportSize({ width: 345, height: 720 })
  const overflow = (part: Locator) => part.evaluate((one) => one.scrollWidth - one.clientWidth)
  const line = {
    metric: 'turns',
    quantity: 1_839_285_566,
    included: 500_000,
    billable: 1_838_785_566,
    amount: 4_126_116,
  }
  const month = { periodStart: '2026-11-01T00:00:00.000Z', periodEnd: '2026-12-01T00:00:00.000Z', currency: 'EUR' }
  await page.route('**/v1/billing/invoices/upcoming', (route) =>
    route.fulfill({ json: { ...month, lines: [line], total: line.amount } }),
  )
  await page.reload()
  await expect(page.getByText('€41,261.16').first()).toBeVisible()
  expect(await overflow(page.getByRole('group', { name: /^Lines of/ }))).toBe(0)
  await page.goto(project.at('usage?groupBy=program'))
  await expect(page.getByRole('button', { name: /^Turns/ })).toContainText('1,839,285,566')
  expect(await overflow(page.getByRole('button', { name: /^Turns/ }))).toBe(0)
})

test('says once that the service does not answer, and shows the plan and the invoices when it does', async ({
  page,
  hosted,
  project,
  allow,
}) => {
  allow(/ERR_FAILED/)
  await signIn(page, hosted)
  let isAway = true
  await page.route('**/billing/**', (route) => (isAway ? route.abort() : route.fallback()))
  await page.goto(project.at('billing'))
  const unanswered = page.getByRole('region', { name: 'The service does not answer' })
  await expect(unanswered).toBeVisible()
  await expect(unanswered).toHaveCount(1)
  await expect(page.getByRole('heading', { name: 'Plan' })).toBeHidden()
  await check(page, 'billing-unanswered')
  isAway = false
  await expect(page.getByRole('table', { name: 'Plan' })).toBeVisible()
  await expect(page.getByRole('table', { name: /^Invoice for/ })).toBeVisible()
})

test('creates a token that is shown once, counts, and is refused once revoked', async ({
  page,
  hosted,
  admin,
  project,
  allow,
}) => {
  await signIn(page, hosted)
  const read = Promise.withResolvers<void>()
  await page.route(/\/(?:tokens|invoices)(?:\?|$)/, async (route) => {
    if (route.request().method() === 'GET') await read.promise
    await route.fallback()
  })
  // The browser's clock is off by hours.
  await page.clock.install({ time: Date.now() + 5 * 3_600_000 })
  await page.goto(project.at('billing'))
  await expect(page.getByText('Loading the plan and the invoices')).toBeVisible()
  await page.getByRole('link', { name: 'Workspace' }).click()
  await expect(page.getByRole('heading', { name: 'Tokens' })).toBeVisible()
  await expect(page.getByRole('heading', { name: 'Limits' }), 'before what is above it').toHaveCount(0)
  read.resolve()
  const tokens = page.getByRole('table', { name: 'Tokens' })
  await expect(tokens.getByText('current')).toBeVisible()
  await expect(page.getByRole('heading', { name: 'Limits' })).toBeVisible()
  await check(page, 'workspace')
  const renamed = page.getByRole('textbox', { name: 'Name of the workspace' })
  await renamed.fill(' ')
  await page.getByRole('button', { name: 'Rename' }).click()
  await expect(page.getByText('Enter a name')).toBeVisible()
  await expect(renamed).toBeFocused()
  await renamed.fill('not sent')
  await expect(page.getByText('Enter a name')).toHaveCount(0)
  const name = `reader ${Date.now()}`
  await page.getByRole('button', { name: 'Create token' }).click()
  const dialog = page.getByRole('dialog')
  await page.keyboard.press('ControlOrMeta+Enter')
  await expect(dialog.getByText('Enter a name')).toBeVisible()
  await dialog.getByRole('textbox', { name: 'Name' }).fill(name)
  await dialog.getByRole('radio', { name: 'read' }).check()
  await axe(page)
  // Until the answer, nothing closes the dialog or leaves the screen.
  const { promise: left, resolve: go } = Promise.withResolvers<void>()
  await page.route('**/tokens', async (route) => {
    if (route.request().method() === 'POST') await left
    await route.fallback()
  })
  await dialog.getByRole('button', { name: 'Create token' }).click()
  await expect(dialog.getByRole('button', { name: 'Create token' })).toHaveAttribute('aria-busy', 'true')
  await dialog.getByRole('button', { name: 'Close' }).last().click()
  await page.keyboard.press('Escape')
  await page.evaluate(() => history.back())
  go()
  const field = dialog.getByRole('textbox', { name: `Token ${name}` })
  await expect(field).toHaveValue(/^wes_\w+$/)
  const secret = await field.inputValue()
  await expect(dialog.getByText('SERVICE_TOKEN=wes_…')).toBeVisible()
  await expect(dialog.getByRole('button', { name: 'Copy the token' })).toBeFocused()
  await page.keyboard.press('Escape')
  await page.keyboard.press('Escape')
  await page.mouse.click(2, 2)
  await expect(field).toHaveValue(secret)
  await check(page, 'workspace-token')
  await dialog.getByRole('button', { name: 'Done' }).click()
  await expectForgotten(page, secret)

  const reader = createClient({ url: hosted.url, token: secret })
  const made = (await reader.whoAmI()).token
  expect(made).toMatchObject({ name, role: 'read' })
  const days = (Date.parse(made.expiresAt!) - Date.parse(made.createdAt)) / 86_400_000
  expect(days, 'days by the clock of the service').toBeCloseTo(90, 2)
  await expect(reader.createToken({ name: 'x', role: 'read' })).rejects.toMatchObject({ code: 'forbidden' })
  await page.getByRole('button', { name: `Revoke ${name}` }).click()
  await page.route(
    new RegExp(`/tokens/${made.id}$`),
    async (route) => {
      await route.fetch()
      await route.abort()
    },
    { times: 1 },
  )
  allow(/ERR_FAILED/)
  await dialog.getByRole('button', { name: 'Revoke token' }).click()
  await expect(page.getByRole('alert').getByText(`Check whether the token ${name} is still listed`)).toBeVisible()
  await expect(tokens.getByText(name)).toBeHidden()
  await expect(tokens.getByRole('button', { name: /^Revoke / }).and(page.locator(':focus'))).toHaveCount(1)
  await expect
    .poll(() =>
      reader.whoAmI().then(
        () => 'accepted',
        (error: unknown) => (error as { code?: string }).code,
      ),
    )
    .toBe('unauthorized')
  const soon = await admin.createToken({
    name: `soon ${Date.now()}`,
    role: 'read',
    expiresAt: new Date(Date.now() + 60_000 * 60).toISOString(),
  })
  await page.goto(project.at('workspace'))
  await expect(tokens).toBeVisible()
  await expectForgotten(page, secret)
  await expect(tokens.getByRole('row', { name: soon.name }).locator('.text-waiting')).toHaveText(/^in \d+ min$/)
  await page.getByRole('button', { name: `Revoke ${soon.name}` }).click()
  await admin.revokeToken(soon.id)
  allow(/status of 404/)
  await dialog.getByRole('button', { name: 'Revoke token' }).click()
  await expect(page.getByText(`Token ${soon.name} was already revoked`)).toBeVisible()
  await expect(tokens.getByText(soon.name)).toBeHidden()
})

test('sets, pastes and removes the environment, and shows no value', async ({ page, hosted, project }) => {
  const answers = collectAnswers(page)
  const secret = `hunter2-${Date.now()}`
  await signIn(page, hosted)
  await page.goto(project.at('environment'))
  await expect(page.getByRole('heading', { name: 'No variables yet' })).toBeVisible()
  await axe(page)
  const dialog = page.getByRole('dialog')
  await page.getByRole('button', { name: 'Add variable' }).click()
  await dialog.getByRole('textbox', { name: 'Name' }).fill('NODE_OPTIONS')
  await dialog.getByRole('textbox', { name: 'Value' }).fill(secret)
  await dialog.getByRole('button', { name: 'Set value' }).click()
  await expect(dialog.getByText(/cannot be set/)).toBeVisible()
  await dialog.getByRole('textbox', { name: 'Name' }).fill('API_KEY')
  await check(page, 'environment-value')
  await page.keyboard.press('ControlOrMeta+Enter')
  const table = page.getByRole('table', { name: 'Environment' })
  await expect(table.getByRole('row', { name: /API_KEY/ })).toBeVisible()
  await expectForgotten(page, secret)

  await page.getByRole('button', { name: 'Paste .env' }).click()
  const file = `# keys\nexport API_KEY="${secret}\\nnext"\nDATABASE_URL='postgres://${secret}'\nPATH=/${secret}\n`
  await dialog.getByRole('textbox', { name: 'File contents' }).fill(file)
  await dialog.getByRole('button', { name: 'Review' }).click()
  await expect(dialog.getByRole('row', { name: /API_KEY.*replaced/ })).toBeVisible()
  await expect(dialog.getByText('Line 4: PATH')).toBeVisible()
  await expectForgotten(page, secret)
  await check(page, 'environment-paste')
  await dialog.getByRole('button', { name: 'Set 2 variables' }).click()
  const asked = page.getByRole('dialog', { name: 'Replace API_KEY' })
  await expect(asked).toContainText('cannot be restored')
  await check(page, 'environment-replace')
  await page.keyboard.press('Escape')
  await expect(asked).toBeHidden()
  await dialog.getByRole('button', { name: 'Set 2 variables' }).click()
  await asked.getByRole('button', { name: 'Replace 1 value' }).click()
  await expect(table.getByRole('row', { name: /DATABASE_URL/ })).toBeVisible()
  await check(page, 'environment')

  await page.getByRole('button', { name: 'Remove API_KEY' }).click()
  await dialog.getByRole('button', { name: 'Remove variable' }).click()
  await expect(table.getByRole('row', { name: /API_KEY/ })).toBeHidden()
  const { items } = await project.client.getEnvironment(project.id)
  expect(items.map(({ name }) => name)).toEqual(['DATABASE_URL'])
  await expectForgotten(page, secret)
  expect(await answers()).not.toContain(secret)
})

test('tells a token that may only read what it may not do', async ({ page, hosted, admin, project }) => {
  await project.client.changeEnvironment(project.id, { set: { API_KEY: 'x' } })
  const reader = await admin.createToken({ name: 'reads', role: 'read' })
  await signIn(page, hosted, reader.secret)
  await page.goto(project.at('environment'))
  for (const name of ['Add variable', 'Paste .env', 'Replace API_KEY', 'Remove API_KEY']) {
    const button = page.getByRole('button', { name })
    await expect(button).toHaveAttribute('aria-disabled', 'true')
    await expect(button).toHaveAttribute('aria-description', 'Your token has the role read; this needs admin')
  }
  await axe(page)
  await page.getByRole('link', { name: 'Workspace' }).click()
  await expect(page.getByText(/Only admins can see tokens/)).toBeVisible()
  await expect(page.getByRole('button', { name: 'Rename' })).toHaveAttribute('aria-disabled', 'true')
  await axe(page)
  for (const screen of ['Usage', 'Billing']) {
    await page.getByRole('link', { name: screen }).click()
    await expect(page.getByRole('table').first()).toBeVisible()
  }
  await page.getByRole('link', { name: 'Programs' }).click()
  await expect(page.getByRole('main').getByText('Your token has the role read; this needs write.')).toBeVisible()
  await page.keyboard.press('s')
  await page.keyboard.press('?')
  await expect(page.getByRole('dialog')).toHaveAccessibleName('Shortcuts')
  await page.keyboard.press('Escape')
  await expect(page.getByText('wes deploy')).toHaveCount(0)
})

localTest('a local runtime has none of these screens, and says so', async ({ page }) => {
  await page.goto('/billing')
  await expect(page.getByRole('heading', { name: 'Only on hosted services' })).toBeVisible()
  await axe(page)
  await expect(page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Billing' })).toBeHidden()
})
