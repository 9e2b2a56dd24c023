// The Triggers screen, with a real hosted service that fires them.

import { execFile } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Page } from '@playwright/test'
import type { ServiceClient } from '../../src-sdk/create-client.ts'
import { axe, expect, interceptFromTheStart } from './fixtures.ts'
import { artifact, signIn, test } from './hosted-fixtures.ts'
import { typeOverAll } from './dialogs.test-support.ts'
import { takeNarrowScreenshots } from './screenshots.test-support.ts'

const run = promisify(execFile)

/** Runs a copied snippet as a user would, and answers the id of the Execution that it started. */
const idIn = (answer: string): string => (JSON.parse(/\{.*\}/.exec(answer)![0]) as { executionId: string }).executionId
const runInShell = async (snippet: string, env: Readonly<Record<string, string>> = {}): Promise<string> =>
  (await run('sh', ['-c', snippet], { env: { ...process.env, ...env } })).stdout

const runInNode = async (snippet: string, env: Readonly<Record<string, string>>): Promise<string> => {
  // Below the project's folder, where the package is found.
  const folder = join(import.meta.dirname, '../../test-results/snippets')
  mkdirSync(folder, { recursive: true })
  const file = join(folder, `call-${process.pid}.mjs`)
  writeFileSync(file, snippet)
  return (await run(process.execPath, [file], { env: { ...process.env, ...env } })).stdout
}

const dialog = (page: Page, name: string) => page.getByRole('dialog', { name })
const table = (page: Page) => page.getByRole('table', { name: 'Triggers' })
const snippet = (page: Page, name: 'curl' | 'Node') => page.locator(`pre[aria-label="${name}"]`).innerText()

const completed = async (client: ServiceClient, id: string): Promise<unknown> => {
  await expect.poll(async () => (await client.getExecution(id)).status).toBe('completed')
  return (await client.getExecution(id)).result
}

/** Neither Escape nor a click outside closes the dialog. */
const keepsOpen = async (page: Page, name: string): Promise<void> => {
  await page.keyboard.press('Escape')
  await page.keyboard.press('Escape')
  await page.mouse.click(2, 2)
  await expect(dialog(page, name)).toBeVisible()
}

test.beforeEach(interceptFromTheStart)

test('a webhook is added, called by the copied curl, and shows its Execution', async ({
  page,
  context,
  hosted,
  project,
}) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write'])
  await project.client.deployProgram(artifact('hello'))
  await signIn(page, hosted)
  await page.goto(project.at('executions'))
  await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Triggers' }).click()
  await expect(page.getByRole('heading', { name: 'No Triggers yet' })).toBeVisible()
  await takeNarrowScreenshots(page, 'triggers-empty')
  await axe(page)
  await page.getByRole('button', { name: 'Add webhook' }).click()
  const adding = dialog(page, 'Add Trigger')
  await expect(adding.getByRole('combobox', { name: 'Program' })).toHaveValue('hello')
  await adding.getByLabel('Name').fill('orders')
  await takeNarrowScreenshots(page, 'triggers-add-webhook')
  await axe(page)
  await page.keyboard.press('ControlOrMeta+Enter')
  await expect(dialog(page, 'Webhook added').getByLabel('Address', { exact: true }).last()).toHaveValue(/^http/)
  await axe(page)
  await page.getByRole('button', { name: 'Done' }).click()
  await expect(page.getByRole('main'), 'the button of the empty list is gone').toBeFocused()

  await table(page).getByRole('link', { name: 'orders' }).click()
  await expect(page.getByText('It has not started an Execution yet.')).toBeVisible()
  await page.getByRole('button', { name: 'Copy as curl' }).click()
  const id = idIn(await runInShell(await page.evaluate(() => navigator.clipboard.readText())))
  expect(await completed(project.client, id)).toMatchObject({ greeting: 'Hello, example!' })
  await expect(page.getByRole('table', { name: 'Last firings' }).getByRole('link', { name: id })).toBeVisible()
  await takeNarrowScreenshots(page, 'triggers-webhook')
  await axe(page)

  await page.getByRole('button', { name: 'Send a test' }).click()
  const testing = dialog(page, 'Send a test')
  await takeNarrowScreenshots(page, 'triggers-test')
  await axe(page)
  await testing.getByRole('button', { name: 'Send a test' }).click()
  await testing.getByRole('link', { name: /^exe_/ }).click()
  await expect(page.getByText('Hello, example!').first()).toBeVisible()
  await page.getByRole('link', { name: /^trg_/ }).click()
  await page.getByRole('link', { name: 'All Executions' }).click()
  await expect(page.getByRole('grid', { name: 'Executions' }).getByRole('link')).toHaveCount(2)
})

test('a signed webhook shows its secret once, and its copied calls are signed with it', async ({
  page,
  hosted,
  project,
}) => {
  await project.client.deployProgram(artifact('hello'))
  await signIn(page, hosted)
  await page.goto(project.at('triggers'))
  await page.getByRole('button', { name: 'Add webhook' }).click()
  await dialog(page, 'Add Trigger').getByRole('switch', { name: 'Require a signature' }).press('Enter')
  // The switch has the focus, and Ctrl+Enter leaves it on.
  await page.keyboard.press('ControlOrMeta+Enter')
  const first = await dialog(page, 'Webhook added').getByRole('textbox', { name: 'Signing secret' }).inputValue()
  expect(first).toMatch(/^whsec_/)
  await expect(page.getByRole('button', { name: 'Copy the signing secret' })).toBeFocused()
  await keepsOpen(page, 'Webhook added')
  await takeNarrowScreenshots(page, 'triggers-secret')
  await page.getByRole('button', { name: 'Done' }).click()
  await table(page).getByRole('link', { name: /^trg_/ }).click()
  const signedBy = (secret: string) => ({ WEBHOOK_SECRET: secret })
  const inShell = await snippet(page, 'curl')
  await takeNarrowScreenshots(page, 'triggers-signed')
  await axe(page)
  await completed(project.client, idIn(await runInShell(inShell, signedBy(first))))
  await page.getByRole('button', { name: 'Node' }).click()
  const inNode = await snippet(page, 'Node')
  await completed(project.client, idIn(await runInNode(inNode, signedBy(first))))

  await page.getByRole('button', { name: 'Generate a new secret' }).click()
  await dialog(page, 'Generate a new secret').getByRole('button', { name: 'Generate a new secret' }).click()
  const second = await dialog(page, 'Signing secret').getByRole('textbox', { name: 'Signing secret' }).inputValue()
  await keepsOpen(page, 'Signing secret')
  await page.getByRole('button', { name: 'Done' }).click()
  expect(await runInShell(inShell, signedBy(first))).toContain('invalid_signature')
  await completed(project.client, idIn(await runInShell(inShell, signedBy(second))))
  await expect(page.getByRole('table', { name: 'Last firings' }).getByRole('row')).toHaveCount(4)

  expect(await page.content()).not.toContain(second)
  await page.getByRole('button', { name: 'Edit' }).click()
  await dialog(page, 'Edit Trigger').getByLabel('Secret of the sender').fill(first)
  await page.keyboard.press('ControlOrMeta+Enter')
  await expect(dialog(page, 'Edit Trigger')).toHaveCount(0)
  await completed(project.client, idIn(await runInShell(inShell, signedBy(first))))
  await page.getByRole('button', { name: 'Remove secret' }).click()
  await dialog(page, 'Remove secret').getByRole('button', { name: 'Remove secret' }).click()
  await expect(page.getByText('Not required: anyone who knows the address can start Executions.')).toBeVisible()
  await completed(project.client, idIn(await runInShell(await snippet(page, 'curl'))))
  await page.getByRole('button', { name: 'Require a signature' }).click()
  await dialog(page, 'Require a signature').getByRole('button', { name: 'Go back' }).click()
  await expect(page.getByText('Not required: anyone who knows the address can start Executions.')).toBeVisible()
})

test('a schedule says when it fires, and fires', async ({ page, hosted, project }) => {
  await project.client.deployProgram(artifact('hello'))
  await signIn(page, hosted)
  await page.goto(project.at('programs'))
  await expect(page.getByRole('table', { name: 'Programs' })).toBeVisible()
  await page.keyboard.press('g')
  await page.keyboard.press('h')
  await page.getByRole('button', { name: 'Add schedule' }).click()
  const adding = dialog(page, 'Add Trigger')
  const place = await adding.boundingBox()
  for (const type of ['Webhook', 'Schedule']) {
    await adding.getByRole('button', { name: type, exact: true }).click()
    expect(await adding.boundingBox(), 'the choice stays under the pointer').toEqual(place)
  }
  await adding.getByRole('button', { name: 'Save schedule' }).click()
  await expect(adding.getByText('Enter a cron expression')).toBeVisible()
  const cron = adding.getByLabel('Cron expression')
  await expect(cron, 'of several faults, the first one').toBeFocused()
  await cron.fill('30 2 * * MON-FRI')
  await adding.getByRole('combobox', { name: 'Time zone' }).fill('Berlin')
  await page.getByRole('option', { name: 'Europe/Berlin' }).click()
  await expect(adding.getByText('At 02:30, Monday to Friday')).toBeVisible()
  await expect(adding.getByRole('table', { name: 'Next times' }).getByRole('row')).toHaveCount(6)
  await expect(adding.getByText('name is missing', { exact: true })).toBeVisible()
  await takeNarrowScreenshots(page, 'triggers-add-schedule')
  await axe(page)
  await cron.fill('* * * * * *')
  await typeOverAll(page, adding.getByRole('textbox', { name: 'Input' }), '{ "name": "each second" }')
  await adding.getByRole('textbox', { name: 'Name', exact: true }).first().fill('each second')
  await adding.getByRole('button', { name: 'Save schedule' }).click()
  await expect(adding).toBeHidden()

  const row = table(page).getByRole('row', { name: /each second/ })
  await expect(row.getByRole('link', { name: /exe_/ })).toBeVisible()
  await takeNarrowScreenshots(page, 'triggers')
  await axe(page)
  await row.getByRole('link', { name: 'each second' }).click()
  const firings = page.getByRole('table', { name: 'Last firings' })
  await expect(firings.getByText('completed').first()).toBeVisible()
  await takeNarrowScreenshots(page, 'triggers-schedule')
  const size = page.viewportSize()!
  for (const width of [768, 640, 320]) {
    await page.setViewportSize({ width, height: 800 })
    const hidden = await firings.locator('..').evaluate((scroller) => scroller.scrollWidth - scroller.clientWidth)
    expect(hidden, `${width} pixels wide`).toBe(0)
  }
  await page.setViewportSize(size)
  await axe(page)
  await page.getByRole('link', { name: 'All Executions' }).click()
  await expect(page.getByRole('list', { name: 'Filters' })).toHaveText(/^Trigger is each second/)
  await page.goBack()
  await page.getByRole('switch', { name: 'each second is enabled' }).click()
  await dialog(page, 'Disable Trigger').getByRole('button', { name: 'Disable Trigger' }).click()
  await expect(page.getByText('It does not fire while it is disabled.')).toBeVisible()
  await page.getByRole('button', { name: 'Remove' }).click()
  await dialog(page, 'Remove Trigger').getByRole('button', { name: 'Remove Trigger' }).click()
  await expect(page.getByRole('heading', { name: 'No Triggers yet' })).toBeVisible()
})

test('what somebody else changed in the meantime is shown, and what was typed is kept', async ({
  page,
  hosted,
  project,
  allow,
}) => {
  allow(/status of 412/)
  const { client } = project
  await client.deployProgram(artifact('hello'))
  const mine = { programId: 'hello', type: 'webhook', name: 'mine' } as const
  const { items } = await client.replaceTriggers(project.id, [mine])
  await signIn(page, hosted)
  await page.goto(project.at('triggers'))
  await page.getByRole('button', { name: 'Actions of mine' }).click()
  await page.getByRole('menuitem', { name: 'Edit' }).click()
  const editing = dialog(page, 'Edit Trigger')
  await editing.getByLabel('Name').fill('typed')
  const theirs = { ...mine, name: 'theirs' }
  await client.replaceTriggers(project.id, [{ ...mine, id: items[0]!.id, enabled: false }, theirs])
  await editing.getByRole('button', { name: 'Save webhook' }).click()
  const changes = editing.getByRole('list', { name: 'What changed' })
  await expect(changes.getByRole('listitem')).toHaveText(['mine changed: enabled', 'theirs added'])
  await expect(editing.getByLabel('Name')).toHaveValue('typed')
  await takeNarrowScreenshots(page, 'triggers-conflict')
  await axe(page)
  await editing.getByRole('button', { name: 'Save again' }).click()
  await expect(editing).toBeHidden()
  const now = await client.listTriggers(project.id)
  expect(now.items.map(({ name, enabled }) => [name, enabled])).toEqual([
    ['typed', true],
    ['theirs', true],
  ])

  await client.replaceTriggers(project.id, [...now.items, { ...mine, name: 'theirs too' }])
  const held = Promise.withResolvers<void>()
  await page.route('**/triggers', async (route) => {
    if (route.request().method() === 'GET') await held.promise
    await route.continue()
  })
  await page.getByRole('button', { name: 'Actions of theirs' }).click()
  await page.getByRole('menuitem', { name: 'Remove' }).click()
  await dialog(page, 'Remove Trigger').getByRole('button', { name: 'Remove Trigger' }).click()
  await expect(page.getByText('theirs was not removed').first(), 'before the list is read').toBeVisible()
  held.resolve()
  await expect(table(page).getByRole('link', { name: 'theirs too' })).toBeVisible()
})

test('a save whose answer was lost is not said to be by somebody else', async ({ page, hosted, project, allow }) => {
  allow(/status of 412/)
  allow(/ERR_FAILED|Failed to fetch/)
  await project.client.deployProgram(artifact('hello'))
  await signIn(page, hosted)
  await page.goto(project.at('triggers'))
  await page.getByRole('button', { name: 'Add webhook' }).click()
  const adding = dialog(page, 'Add Trigger')
  await adding.getByLabel('Name').fill('lost')
  await page.route('**/triggers', async (route) => {
    if (route.request().method() !== 'PUT') return route.fallback()
    await route.fetch()
    await route.abort()
    await page.unroute('**/triggers')
  })
  const save = adding.getByRole('button', { name: 'Save webhook' })
  await save.click()
  await expect(adding.getByRole('alert').first()).toBeVisible()
  await save.click()
  await expect(adding.getByText('This may have been saved already')).toBeVisible()
  await expect(adding.getByRole('list', { name: 'What changed' })).toHaveText('lost added')
  await expect(adding.getByRole('button', { name: 'Add another' })).toBeVisible()
  await takeNarrowScreenshots(page, 'triggers-answer-lost')
  await axe(page)
})

test('with the role read, Triggers are shown, and buttons say what is needed', async ({
  page,
  hosted,
  admin,
  project,
}) => {
  await project.client.deployProgram(artifact('hello'))
  await project.client.replaceTriggers(project.id, [{ programId: 'hello', type: 'webhook', name: 'seen' }])
  const token = await admin.createToken({ name: 'reader', role: 'read' })
  await signIn(page, hosted, token.secret)
  await page.goto(project.at('triggers'))
  const needed = 'Your token has the role read; this needs write'
  await expect(page.getByRole('button', { name: 'Add Trigger' })).toHaveAttribute('aria-description', needed)
  const enabled = table(page).getByRole('switch', { name: 'seen is enabled' })
  await expect(enabled).toHaveAttribute('aria-description', needed)
  await enabled.click()
  await expect(enabled).toBeChecked()
  await axe(page)
  await table(page).getByRole('link', { name: 'seen' }).click()
  await expect(page.getByRole('button', { name: 'Send a test' })).toHaveAttribute('aria-description', needed)
  await expect(page.getByRole('region', { name: 'Address' })).toContainText('with the role write or admin see it')
  await expect(page.getByRole('button', { name: 'Copy the address' })).toBeHidden()
  await expect(page.getByRole('region', { name: 'Call it' })).toBeHidden()
  await axe(page)
})
