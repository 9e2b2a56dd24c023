// Starting an Execution: by keyboard, with the form, with JSON, and errors.

import type { Locator, Page } from '@playwright/test'
import { watchShifts } from './watch-shifts.test-support.ts'
import { expect, interceptFromTheStart, test } from './fixtures.ts'
import {
  deleteAll,
  looksGood,
  echo,
  openedExecution,
  offline,
  order,
  refused,
  sentBodies,
  tabTo,
  typeOverAll,
  withEffects,
} from './dialogs.test-support.ts'

const STARTS = /\/v1\/executions$/

const openEmpty = async (page: Page) => {
  await page.goto('/executions')
  await expect(page.getByRole('heading', { name: 'Executions', level: 1 })).toBeVisible()
  await page.keyboard.press('s')
  return page.getByRole('dialog', { name: 'Start execution' })
}

const choose = async (dialog: Locator, programId: string) => {
  const page = dialog.page()
  const program = dialog.getByRole('combobox', { name: 'Program' })
  await expect(program).toBeFocused()
  await page.keyboard.type(programId)
  // Other Programs may begin with the same letters.
  await expect(page.getByRole('option', { name: new RegExp(`^${programId}( |$)`) })).toBeVisible()
  await page.keyboard.press('Enter')
  await expect(program).toHaveValue(programId)
}

const openStart = async (page: Page, programId: string) => {
  const dialog = await openEmpty(page)
  await choose(dialog, programId)
  return dialog
}

/** A list of suggestions ignores keys at first, so that users do not accept an unseen suggestion. */
const listTakesKeys = (page: Page) => page.evaluate(() => new Promise((resolve) => setTimeout(resolve, 150)))

/** The value in the editor. */
const valueIn = async (dialog: Locator): Promise<unknown> =>
  JSON.parse((await dialog.getByLabel('Input').textContent()) ?? '')

test.beforeEach(interceptFromTheStart)

test('a start by keyboard: Program, form, submit, and the Execution opens', async ({ deploy, client, page }) => {
  await deploy(order('start-keys'))
  await deploy(echo('start-others'))
  const dialog = await openEmpty(page)
  await expect(dialog.getByText('Choose a Program first.')).toBeVisible()
  const place = await dialog.boundingBox()
  await choose(dialog, 'start-keys')
  await tabTo(page, dialog.getByRole('textbox', { name: 'orderId' }))
  expect(await dialog.boundingBox(), 'the form has its room from the start').toEqual(place)
  await page.keyboard.type('o-4711')
  await page.keyboard.press('Tab')
  await page.keyboard.type('1250')
  await page.keyboard.press('Control+Enter')
  const id = await openedExecution(page)
  expect((await client.getExecution(id)).input).toEqual({ orderId: 'o-4711', cents: 1250, currency: 'EUR' })
  await expect(dialog).toHaveCount(0)
})

test('the form and the JSON are two views of one value', async ({ deploy, page }) => {
  await deploy(order('start-views'))
  const dialog = await openStart(page, 'start-views')
  const json = dialog.getByLabel('Input')
  await dialog.getByLabel('orderId').fill('o-1')
  await expect(json).toContainText('"orderId": "o-1"')
  await typeOverAll(page, json, '{"orderId":"o-2","cents":12345678901234567890,"note":"kept","lines":[{"sku":"a"}]}')
  await expect(dialog.getByLabel('orderId')).toHaveValue('o-2')
  await expect(dialog.getByLabel('cents')).toHaveValue('12345678901234567890')
  await expect(dialog.getByLabel('sku')).toHaveValue('a')
  await dialog.getByRole('button', { name: 'Add to lines' }).click()
  await expect(dialog.getByLabel('sku')).toHaveCount(2)
  await expect(json).toContainText('12345678901234567890')
  await expect(json).toContainText('"note": "kept"')
  await typeOverAll(page, json, '{"orderId": ')
  await expect(dialog.getByText('Fix the JSON first')).toBeVisible()
  await typeOverAll(page, json, '{"orderId": 5}')
  await expect(dialog.getByLabel('orderId')).toHaveValue('5')
})

test('an added item of a list is an empty text, or a choice', async ({ deploy, page }) => {
  const list = (type: string) => ({ type: 'array', items: { type } })
  const inputSchema = { type: 'object', properties: { tags: list('string'), flags: list('boolean') } }
  await deploy({ ...order('start-lists'), manifest: { inputSchema } })
  const dialog = await openStart(page, 'start-lists')
  const json = dialog.getByLabel('Input')
  await dialog.getByRole('button', { name: 'Add to tags' }).click()
  await expect(json).toContainText(/"tags": \[\s*""\s*\]/)
  const tag = dialog.getByRole('group', { name: 'tags' }).getByRole('textbox')
  await tag.fill('urgent')
  await expect(json).toContainText('"urgent"')
  await tag.fill('')
  await expect(json).toContainText(/"tags": \[\s*""\s*\]/)
  await dialog.getByRole('button', { name: 'Add to flags' }).click()
  await dialog.getByRole('group', { name: 'flags' }).getByRole('combobox').click()
  await page.getByRole('option', { name: 'true' }).click()
  await expect(json).toContainText(/"flags": \[\s*true\s*\]/)
})

test('errors show at their fields before a request is sent', async ({ deploy, page }) => {
  await deploy(order('start-faults'))
  const dialog = await openStart(page, 'start-faults')
  const bodies = sentBodies(page, STARTS)
  await dialog.getByLabel('orderId').fill('o')
  await dialog.getByLabel('cents').fill('many')
  await page.setViewportSize({ width: 1000, height: 500 })
  await dialog.getByLabel('orderId').scrollIntoViewIfNeeded()
  for (let attempts = 0; attempts < 2; attempts++) {
    await dialog.getByRole('button', { name: 'More' }).focus()
    await page.keyboard.press('Control+Enter')
    await expect(dialog.getByLabel('orderId')).toBeFocused()
    await expect(dialog.getByText('at least 3 characters')).toBeInViewport()
  }
  await expect(dialog.getByLabel('orderId')).toHaveAccessibleDescription(/at least 3 characters/)
  await expect(dialog.getByLabel('cents')).toHaveAccessibleDescription(/must be an integer/)
  await expect(dialog.getByLabel('cents')).toHaveAttribute('aria-invalid', 'true')
  // Each fault is told once.
  await expect(dialog.getByText('must be an integer')).toHaveCount(1)
  await expect(dialog.getByRole('alert')).toContainText('2 invalid fields')
  await expect(dialog.getByLabel('Input')).toHaveAttribute('aria-invalid', 'true')
  await looksGood(page, 'start-faults')
  expect(bodies).toEqual([])
})

test('a field with two faults is counted once', async ({ deploy, page }) => {
  const inputSchema = { type: 'object', properties: { code: { type: 'string', minLength: 3, pattern: '^[A-Z]+$' } } }
  await deploy({ ...order('start-two-faults'), manifest: { inputSchema } })
  const dialog = await openStart(page, 'start-two-faults')
  await dialog.getByLabel('code').fill('a')
  await page.keyboard.press('Control+Enter')
  await expect(dialog.getByLabel('code')).toHaveAccessibleDescription(/at least 3 characters.*pattern/)
  await expect(dialog.getByRole('alert')).toContainText('1 invalid field')
})

test('a missing field is told once: at the field, or below the JSON where the form is not shown', async ({
  deploy,
  page,
  allow,
}) => {
  await deploy(order('start-missing'))
  allow(refused(400))
  const dialog = await openStart(page, 'start-missing')
  await dialog.getByLabel('cents').fill('5')
  await page.keyboard.press('Control+Enter')
  await expect(dialog.getByText('is missing')).toHaveCount(1)
  await expect(dialog.getByLabel('orderId')).toHaveAccessibleDescription(/orderId is missing/)
  await expect(dialog.getByLabel('orderId')).toBeFocused()
  await expect(dialog.getByRole('alert')).toContainText('1 invalid field')
  const answer = page.waitForResponse(STARTS)
  await dialog.getByRole('button', { name: 'Send anyway' }).click()
  await answer
  await expect(dialog.getByRole('button', { name: 'Start execution' })).toBeEnabled()
  await expect(dialog.getByText('is missing')).toHaveCount(1)

  await page.setViewportSize({ width: 500, height: 800 })
  await dialog.getByRole('button', { name: 'JSON', exact: true }).click()
  await expect(dialog.getByRole('alert')).toContainText('/orderId is missing')
})

test('a fault of a member that has no field is told below the form', async ({ deploy, page }) => {
  const { manifest, ...program } = order('start-unnamed')
  await deploy({ ...program, manifest: { inputSchema: { ...(manifest?.inputSchema as object), required: ['mode'] } } })
  const dialog = await openStart(page, 'start-unnamed')
  await expect(dialog.getByRole('textbox', { name: 'orderId' })).toBeVisible()
  await page.keyboard.press('Control+Enter')
  await expect(dialog.getByRole('alert')).toContainText('/mode is missing')
  await expect(dialog.getByText('is missing')).toHaveCount(1)
})

test('a missing object is told where its members are', async ({ deploy, page }) => {
  const address = { type: 'object', properties: { street: { type: 'string' } }, required: ['street'] }
  const inputSchema = { type: 'object', properties: { address }, required: ['address'] }
  await deploy({ ...order('start-object'), manifest: { inputSchema } })
  const dialog = await openStart(page, 'start-object')
  await expect(dialog.getByRole('textbox', { name: 'street' })).toBeVisible()
  await dialog.getByRole('button', { name: 'Start execution' }).click()
  await expect(dialog.getByText('address is missing')).toHaveCount(1)
  await expect(dialog.getByRole('alert')).toHaveText(/1 invalid field/)
  await expect(dialog.getByRole('textbox', { name: 'street' })).toBeFocused()
})

test('a missing choice between alternatives is told once', async ({ deploy, page }) => {
  const card = { type: 'object', properties: { kind: { const: 'card' } }, required: ['kind'] }
  const iban = { type: 'object', properties: { kind: { const: 'iban' } }, required: ['kind'] }
  const inputSchema = { type: 'object', properties: { method: { oneOf: [card, iban] } }, required: ['method'] }
  await deploy({ ...order('start-choice'), manifest: { inputSchema } })
  const dialog = await openStart(page, 'start-choice')
  await expect(dialog.getByText('kind: "card"')).toBeVisible()
  await dialog.getByRole('button', { name: 'Start execution' }).click()
  await expect(dialog.getByText('method is missing')).toHaveCount(1)
  await expect(dialog.getByText('is missing')).toHaveCount(1)
})

test('a field of an alternative sets the tag of the alternative', async ({ deploy, page }) => {
  const text = { type: 'string' }
  const card = {
    type: 'object',
    properties: { kind: { const: 'card' }, number: text, owner: { type: 'object', properties: { name: text } } },
  }
  const bank = { type: 'object', properties: { kind: { const: 'bank' }, iban: text } }
  const inputSchema = { type: 'object', properties: { method: { anyOf: [card, bank] } } }
  await deploy({ ...order('start-tags'), manifest: { inputSchema } })
  const dialog = await openStart(page, 'start-tags')
  const json = () => valueIn(dialog)
  await dialog.getByRole('textbox', { name: 'name' }).fill('Ada')
  await expect.poll(json).toEqual({ method: { kind: 'card', owner: { name: 'Ada' } } })
  await dialog.getByRole('textbox', { name: 'number' }).fill('12')
  await expect.poll(json).toEqual({ method: { kind: 'card', owner: { name: 'Ada' }, number: '12' } })
  await dialog.getByRole('combobox').filter({ hasText: 'kind: "card"' }).click()
  await page.getByRole('option', { name: 'kind: "bank"' }).click()
  await expect.poll(json).toEqual({ method: { kind: 'bank' } })
  await dialog.getByRole('textbox', { name: 'iban' }).fill('DE1')
  await expect.poll(json).toEqual({ method: { kind: 'bank', iban: 'DE1' } })
})

test('null can be set in the form, and is not shown where nothing is set', async ({ deploy, client, page }) => {
  const address = { type: 'object', properties: { street: { type: 'string' } }, required: ['street'] }
  const nothing = { type: 'null' }
  const properties = {
    nick: { type: ['string', 'null'] },
    note: { anyOf: [{ type: 'string' }, nothing] },
    amount: { type: ['integer', 'null'] },
    flag: { type: ['boolean', 'null'] },
    size: { anyOf: [{ enum: ['S', 'M'], type: 'string' }, nothing] },
    address: { anyOf: [address, nothing] },
    other: { anyOf: [{ type: 'string' }, { type: 'number' }, nothing] },
  }
  const inputSchema = { type: 'object', properties, required: Object.keys(properties) }
  await deploy({ ...echo('start-nulls'), manifest: { inputSchema } })
  const dialog = await openStart(page, 'start-nulls')
  const isNull = (name: string) => dialog.getByRole('checkbox', { name: `${name} is null` })
  const choose = async (name: string, option: string) => {
    await dialog.getByRole('combobox', { name, exact: true }).click()
    await page.getByRole('option', { name: option, exact: true }).click()
  }
  await expect(dialog.getByRole('combobox', { name: 'other' })).toHaveText('Not set')
  await isNull('nick').check()
  await dialog.getByRole('textbox', { name: 'nick' }).fill('x')
  await expect(isNull('nick')).not.toBeChecked()
  const street = dialog.getByRole('textbox', { name: 'street' })
  await expect(street).toHaveAttribute('aria-required', 'true')
  for (const name of ['nick', 'note', 'amount', 'address']) await isNull(name).check()
  await expect(street).not.toHaveAttribute('aria-required')
  await looksGood(page)
  for (const name of ['flag', 'size', 'other']) await choose(name, 'null')
  const nulls = Object.fromEntries(Object.keys(properties).map((name) => [name, null]))
  await expect.poll(() => valueIn(dialog)).toEqual(nulls)
  await isNull('note').uncheck()
  await street.fill('Main')
  await expect.poll(() => valueIn(dialog)).toEqual({ ...nulls, note: undefined, address: { street: 'Main' } })
  await isNull('note').check()
  await page.keyboard.press('Control+Enter')
  const id = await openedExecution(page)
  expect((await client.getExecution(id)).input).toEqual({ ...nulls, address: { street: 'Main' } })
})

test('an optional object can be left out, also after something was typed into it', async ({ deploy, page }) => {
  const geo = { type: 'object', properties: { lat: { type: 'number' } }, required: ['lat'] }
  const text = { type: 'string' }
  const address = { type: 'object', properties: { street: text, city: text, geo }, required: ['street', 'city'] }
  await deploy({ ...echo('start-optional'), manifest: { inputSchema: { type: 'object', properties: { address } } } })
  const dialog = await openStart(page, 'start-optional')
  const [street, city, lat] = ['street', 'city', 'lat'].map((name) => dialog.getByRole('textbox', { name }))
  if (street === undefined || city === undefined || lat === undefined) throw new Error('unreachable')
  await expect(city).not.toHaveAttribute('aria-required')
  await street.fill('Main')
  await expect(city).toHaveAttribute('aria-required', 'true')
  await expect(lat).not.toHaveAttribute('aria-required')
  await lat.fill('1')
  await street.fill('')
  await expect.poll(() => valueIn(dialog)).toEqual({ address: { geo: { lat: 1 } } })
  await lat.fill('')
  await expect.poll(() => valueIn(dialog)).toEqual({})
  await page.keyboard.press('Control+Enter')
  await openedExecution(page)
})

test('errors of the service show at their fields', async ({ deploy, page, allow }) => {
  await deploy(order('start-refused'))
  allow(refused(400))
  const dialog = await openStart(page, 'start-refused')
  await typeOverAll(page, dialog.getByLabel('Input'), '{"orderId":"abc","cents":0.5}')
  await page.keyboard.press('Control+Enter')
  await dialog.getByRole('button', { name: 'Send anyway' }).click()
  await expect(dialog.getByLabel('cents')).toHaveAccessibleDescription(/must be an integer/)
  await dialog.getByLabel('cents').fill('5')
  await expect(dialog.getByText('must be an integer')).toHaveCount(0)
  await page.keyboard.press('Control+Enter')
  await openedExecution(page)
})

test('a Program without a schema accepts any JSON, exactly, or none', async ({ deploy, client, page }) => {
  await deploy(echo('start-echo'))
  const dialog = await openStart(page, 'start-echo')
  const bodies = sentBodies(page, STARTS)
  const big = '{"big":123456789012345678901234567890,"__proto__":{"a":[1e400]}}'
  await typeOverAll(page, dialog.getByLabel('Input'), big)
  await dialog.getByRole('button', { name: 'Format' }).click()
  await expect(dialog.getByLabel('Input')).toContainText('"big": 123456789012345678901234567890')
  await typeOverAll(page, dialog.getByLabel('Input'), big.replace('[1e400]', '[]'))
  await dialog.getByRole('button', { name: 'Start execution' }).click()
  const first = await openedExecution(page)
  expect(bodies).toEqual([
    '{"programId":"start-echo","input":{"big":123456789012345678901234567890,"__proto__":{"a":[]}}}',
  ])
  await page.getByRole('link', { name: 'Executions' }).click()
  await page.keyboard.press('s')
  await expect(page.getByRole('dialog').getByRole('combobox', { name: 'Program' })).toHaveValue('start-echo')
  await page.keyboard.press('Control+Enter')
  const second = await openedExecution(page, first)
  expect((await client.getExecution(second)).input).toBeUndefined()
})

test('typing over all text in the editor replaces it, including brackets', async ({ deploy, page }) => {
  await deploy(echo('start-typing'))
  const dialog = await openStart(page, 'start-typing')
  const bodies = sentBodies(page, STARTS)
  await typeOverAll(page, dialog.getByLabel('Input'), '{"old": [1, 2]}')
  await dialog.getByLabel('Input').focus()
  await page.keyboard.press('ControlOrMeta+a')
  await page.keyboard.type('{"new": [true], "s": "x"}')
  await page.keyboard.press('Control+Enter')
  await openedExecution(page)
  expect(bodies).toEqual(['{"programId":"start-typing","input":{"new":[true],"s":"x"}}'])
})

test('the keyboard is not trapped in the editor', async ({ deploy, page }) => {
  await deploy(order('start-tab'))
  const dialog = await openStart(page, 'start-tab')
  // What is suggested comes from the schema, which is read meanwhile.
  await expect(dialog.getByRole('textbox', { name: 'orderId' })).toBeVisible()
  const editor = dialog.getByLabel('Input')
  await editor.focus()
  await page.keyboard.press('Tab')
  await expect(dialog.getByRole('button', { name: 'More' })).toBeFocused()
  await page.keyboard.press('Shift+Tab')
  await expect(editor).toBeFocused()
  // Single-key shortcuts of the page do not work in it.
  await deleteAll(page, editor)
  await page.keyboard.type('"s?g')
  await expect(page.getByRole('dialog')).toHaveCount(1)
  // Escape closes the suggestions, but not the dialog, in which something was typed.
  await deleteAll(page, editor)
  await page.keyboard.type('{"')
  await expect(dialog.getByRole('option', { name: '"orderId"' })).toBeVisible()
  await page.keyboard.press('Escape')
  await expect(dialog.getByRole('option')).toHaveCount(0)
  await page.keyboard.press('Escape')
  await expect(editor).toContainText('{"')
  await page.mouse.click(2, 2)
  await expect(editor).toContainText('{"')
  await dialog.getByRole('button', { name: 'Close' }).last().click()
  await expect(dialog).toHaveCount(0)
})

test('Escape closes the dialog while nothing was typed, and keeps what was pasted', async ({
  deploy,
  page,
  context,
}) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write'])
  await deploy(echo('start-escape'))
  await page.goto('/programs')
  const dialog = page.getByRole('dialog', { name: 'Start execution' })
  await expect(page.getByRole('button', { name: 'Start execution' }).first()).toBeVisible()
  await page.keyboard.press('s')
  await expect(dialog.getByRole('combobox', { name: 'Program' })).toBeFocused()
  await page.keyboard.press('Escape')
  if (await dialog.isVisible()) await page.keyboard.press('Escape')
  await expect(dialog).toHaveCount(0)
  await page.goto('/programs/start-escape')
  await expect(page.getByRole('button', { name: 'Start execution' })).toBeVisible()
  await page.keyboard.press('s')
  const editor = dialog.getByLabel('Input')
  await page.evaluate(() => navigator.clipboard.writeText('"pasted"'))
  await editor.focus()
  await page.keyboard.press('ControlOrMeta+V')
  await expect(editor).toHaveText('"pasted"')
  await page.keyboard.press('Escape')
  await page.keyboard.press('Escape')
  await expect(editor).toHaveText('"pasted"')
})

test('the input is shown once the schema is read, as the form that it stays', async ({ deploy, page }) => {
  await deploy(order('start-late'))
  const arrives = Promise.withResolvers<void>()
  await page.route(/\/versions(?:\?|$)/, async (route) => {
    await arrives.promise
    await route.continue()
  })
  const bodies = sentBodies(page, STARTS)
  const dialog = await openStart(page, 'start-late')
  await expect(dialog.getByRole('status').filter({ hasText: 'Loading the versions of start-late' })).toBeVisible()
  await expect(dialog.getByLabel('Input')).toHaveCount(0)
  await expect(dialog.getByRole('button', { name: 'Start execution' })).toBeDisabled()
  await page.keyboard.press('Control+Enter')
  arrives.resolve()
  await expect(dialog.getByRole('textbox', { name: 'orderId' })).toBeVisible()
  await expect(dialog.getByLabel('orderId'), 'the start is tried').toHaveAccessibleDescription(/orderId is missing/)
  expect(bodies).toEqual([])
})

test('nothing is to be chosen before the Programs are read', async ({ deploy, page }) => {
  for (const id of ['start-one', 'start-other']) await deploy(order(id))
  const arrives = Promise.withResolvers<void>()
  await page.route(/\/v1\/programs(?:\?|$)/, async (route) => {
    await arrives.promise
    await route.continue()
  })
  await page.goto('/executions')
  await expect(page.getByRole('heading', { name: 'Executions', level: 1 })).toBeVisible()
  await page.keyboard.press('s')
  const dialog = page.getByRole('dialog', { name: 'Start execution' })
  await expect(dialog.getByRole('status')).toHaveText('Loading the Programs')
  const choose = dialog.getByText('Choose a Program first')
  await expect(choose).toHaveCount(0)
  arrives.resolve()
  await expect(choose).toBeVisible()
})

test('suggestions from the schema complete names and values', async ({ deploy, page }) => {
  await deploy(order('start-suggest'))
  const dialog = await openStart(page, 'start-suggest')
  const editor = dialog.getByLabel('Input')
  await deleteAll(page, editor)
  await page.keyboard.type('{"cur')
  await expect(dialog.getByRole('option', { name: '"currency"' })).toBeVisible()
  await listTakesKeys(page)
  await page.keyboard.press('Enter')
  await expect(dialog.getByRole('option', { name: '"USD"' })).toBeVisible()
  await listTakesKeys(page)
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Tab')
  await expect(editor).toHaveText('{"currency": "USD"}')
  await expect(editor).toBeFocused()
})

test('a Program that cannot run here has a reason', async ({ deploy, page }) => {
  await deploy(withEffects('start-effects'))
  await page.goto('/executions')
  await expect(page.getByRole('heading', { name: 'Executions', level: 1 })).toBeVisible()
  await page.keyboard.press('s')
  await page.getByRole('dialog').getByRole('combobox', { name: 'Program' }).fill('start-effects')
  const option = page.getByRole('option', { name: 'start-effects' })
  await expect(option).toContainText('uploaded effects do not run here')
  await expect(option).toHaveAttribute('aria-disabled', 'true')
})

test('a version can be selected, and the newest runnable one is the default', async ({ deploy, client, page }) => {
  await deploy(order('start-versions'))
  await deploy(order('start-versions', 'The second'))
  await deploy({ ...withEffects('start-versions'), description: 'The third' })
  const dialog = await openStart(page, 'start-versions')
  const version = dialog.getByRole('button', { name: /^Version: / })
  await expect(version).toHaveText(/Newest runnable \(2\)/)
  await version.click()
  await expect(page.getByRole('option', { name: /Version 3/ })).toHaveAttribute('aria-disabled', 'true')
  await page.getByRole('option', { name: 'Version 1' }).click()
  await expect(version).toBeFocused()
  await typeOverAll(page, dialog.getByLabel('Input'), '{"orderId":"abc","cents":1}')
  await page.keyboard.press('Control+Enter')
  expect((await client.getExecution(await openedExecution(page))).versionNumber).toBe(1)
})

test('a service that does not allow the start says so in the dialog, which keeps the entries', async ({
  allow,
  deploy,
  page,
}) => {
  allow(refused(403))
  await deploy(echo('start-forbidden'))
  const message = 'This needs a token with the role "write"; the role of this one is "read".'
  await page.route(STARTS, (route) => route.fulfill({ status: 403, json: { error: { code: 'forbidden', message } } }))
  const dialog = await openStart(page, 'start-forbidden')
  await typeOverAll(page, dialog.getByLabel('Input'), '{"kept":true}')
  await page.keyboard.press('Control+Enter')
  await expect(dialog.getByRole('alert').filter({ hasText: 'The Execution was not started' })).toContainText(message)
  await expect(dialog.getByLabel('Input')).toHaveText('{"kept":true}')
})

test('recent inputs are offered', async ({ deploy, page }) => {
  await deploy(echo('start-recent'))
  const dialog = await openStart(page, 'start-recent')
  await typeOverAll(page, dialog.getByLabel('Input'), '{"remember":"me"}')
  await page.keyboard.press('Control+Enter')
  await openedExecution(page)
  await openStart(page, 'start-recent')
  await dialog.getByRole('button', { name: 'Recent' }).click()
  await page.getByRole('menuitem', { name: /remember/ }).click()
  await expect(dialog.getByLabel('Input')).toHaveText('{"remember":"me"}')
})

test('an input is remembered beside those of another tab that was open already', async ({ deploy, page, context }) => {
  await deploy(echo('start-in-tabs'))
  const start = async (tab: Page, text: string) => {
    const dialog = await openStart(tab, 'start-in-tabs')
    await typeOverAll(tab, dialog.getByLabel('Input'), text)
    await tab.keyboard.press('Control+Enter')
    await openedExecution(tab)
  }
  const other = await context.newPage()
  const dialog = await openStart(other, 'start-in-tabs')
  await start(page, '{"typed":"in the first tab"}')
  await typeOverAll(other, dialog.getByLabel('Input'), '{"typed":"in the other tab"}')
  await other.keyboard.press('Control+Enter')
  await openedExecution(other)
  await openStart(page, 'start-in-tabs')
  await page.getByRole('dialog').getByRole('button', { name: 'Recent' }).click()
  await expect(page.getByRole('menuitem')).toContainText([/in the other tab/, /in the first tab/])
})

/** Starts the Program once, then opens the dialog again while the list of Programs does not load until `release`. */
const openStartBeforePrograms = async (page: Page, programId: string) => {
  const held = Promise.withResolvers<void>()
  const dialog = await openStart(page, programId)
  await expect(dialog.getByLabel('Input')).toBeVisible()
  await page.keyboard.press('Control+Enter')
  await openedExecution(page)
  await page.route('**/v1/programs?*', async (route) => {
    await held.promise
    await route.continue()
  })
  await page.goto('/executions')
  await expect(page.getByRole('heading', { name: 'Executions', level: 1 })).toBeVisible()
  await page.keyboard.press('s')
  const program = page.getByRole('dialog').getByRole('combobox', { name: 'Program' })
  await expect(program).toBeFocused()
  return { program, release: held.resolve }
}

test('keys that are typed before the dialog has loaded are typed into its first field, and Escape closes it', async ({
  deploy,
  page,
}) => {
  await deploy(echo('start-soon'))
  const held = Promise.withResolvers<void>()
  await page.route(/start-dialog/, async (route) => {
    await held.promise
    await route.continue()
  })
  await page.goto('/waiting')
  await expect(page.getByRole('heading', { name: 'Waiting', level: 1 })).toBeVisible()
  await page.keyboard.type('sother')
  await page.keyboard.press('Escape')
  await page.keyboard.type('sstart-soo')
  held.resolve()
  const program = page.getByRole('dialog').getByRole('combobox', { name: 'Program' })
  await expect(program).toHaveValue('start-soo')
  await expect(page.getByRole('option', { name: 'start-soon' })).toBeVisible()
  await page.keyboard.press('Enter')
  await expect(program).toHaveValue('start-soon')
})

test('what is typed for the Program stays while Programs load and change', async ({ deploy, client, page }) => {
  await deploy(echo('start-typed'))
  const { program, release } = await openStartBeforePrograms(page, 'start-typed')
  await page.keyboard.type('start-ty')
  release()
  await expect(page.getByRole('option', { name: 'start-typed' })).toBeVisible()
  await expect(program).toHaveValue('start-ty')
  await client.deployProgram(echo('start-typed-later'))
  await expect(page.getByRole('option', { name: 'start-typed-later' })).toBeVisible()
  await expect(program).toHaveValue('start-ty')
  await page.keyboard.type('ped-l')
  await page.keyboard.press('Enter')
  await expect(program).toHaveValue('start-typed-later')
})

test('typing replaces the Program that is selected when Programs have loaded', async ({ deploy, page }) => {
  await deploy(echo('start-preset'))
  const { program, release } = await openStartBeforePrograms(page, 'start-preset')
  release()
  await expect(program).toHaveValue('start-preset')
  await page.keyboard.type('start-p')
  await expect(program).toHaveValue('start-p')
  await page.keyboard.press('Escape')
  await page.keyboard.press('Tab')
  await expect(program).toHaveValue('start-preset')
})

test('a key that was used for another request is shown at its field', async ({ deploy, client, page, allow }) => {
  await deploy(echo('start-key'))
  await client.start('start-key', 1, { idempotencyKey: 'used' })
  allow(refused(422))
  const dialog = await openStart(page, 'start-key')
  await dialog.getByRole('button', { name: 'More' }).click()
  await dialog.getByLabel('Idempotency-Key').fill('used')
  await typeOverAll(page, dialog.getByLabel('Input'), '2')
  await page.keyboard.press('Control+Enter')
  await expect(dialog.getByLabel('Idempotency-Key')).toHaveAttribute('aria-invalid', 'true')
  await typeOverAll(page, dialog.getByLabel('Input'), '1')
  await page.keyboard.press('Control+Enter')
  await openedExecution(page)
})

test('a start without an answer can be repeated, and starts one Execution', async ({ deploy, client, page, allow }) => {
  await deploy(echo('start-lost'))
  allow(/ERR_FAILED/)
  const dialog = await openStart(page, 'start-lost')
  await typeOverAll(page, dialog.getByLabel('Input'), '"once"')
  await page.route(
    STARTS,
    async (route) => {
      await route.fetch()
      await route.abort()
    },
    { times: 1 },
  )
  await page.keyboard.press('Control+Enter')
  await expect(dialog.getByRole('alert').filter({ hasText: 'There was no answer' })).toContainText('may have started')
  await page.keyboard.press('Control+Enter')
  await openedExecution(page)
  expect((await client.listExecutions({ programId: 'start-lost' })).items).toHaveLength(1)
})

test('a too large input is refused by the dialog and by the service', async ({ deploy, page, allow }) => {
  await deploy(echo('start-large'))
  allow(refused(413))
  const dialog = await openStart(page, 'start-large')
  await typeOverAll(page, dialog.getByLabel('Input'), JSON.stringify('x'.repeat(1024 * 1024)))
  await page.keyboard.press('Control+Enter')
  await expect(dialog.getByRole('alert')).toContainText('the service takes 1 MiB')
  await dialog.getByRole('button', { name: 'Send anyway' }).click()
  await expect(dialog.getByRole('alert').getByRole('listitem')).toHaveCount(1)
  await typeOverAll(page, dialog.getByLabel('Input'), '"small"')
  await expect(dialog.getByText('the service takes 1 MiB')).toHaveCount(0)
})

test('without a runtime the entries are kept, and can be sent when it is back', async ({
  freshRuntime,
  page,
  allow,
}) => {
  allow(offline)
  allow(/status of 5\d\d/)
  await freshRuntime.client.deployProgram(echo('start-offline'))
  await page.goto(`${freshRuntime.url}/executions`)
  await page.getByRole('button', { name: 'Start execution' }).first().click()
  const dialog = page.getByRole('dialog', { name: 'Start execution' })
  await expect(dialog.getByRole('combobox', { name: 'Program' })).toHaveValue('start-offline')
  await typeOverAll(page, dialog.getByLabel('Input'), '"kept"')
  await freshRuntime.kill()
  await page.keyboard.press('Control+Enter')
  await expect(dialog.getByText('Your entries are kept')).toBeVisible()
  await freshRuntime.start()
  await page.keyboard.press('Control+Enter')
  const id = await openedExecution(page)
  expect((await freshRuntime.client.getExecution(id)).input).toBe('kept')
})

test('without Programs the dialog says how to deploy one', async ({ freshRuntime, page }) => {
  await page.goto(`${freshRuntime.url}/executions`)
  await expect(page.getByRole('heading', { name: 'Executions', level: 1 })).toBeVisible()
  await page.keyboard.press('s')
  const dialog = page.getByRole('dialog', { name: 'Start execution' })
  await expect(dialog.getByText('No Programs yet')).toBeVisible()
  await looksGood(page)
})

test('the entries can be copied as a command or as code', async ({ deploy, page, context, runtime }) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write'])
  await deploy(echo('start-copy'))
  const dialog = await openStart(page, 'start-copy')
  await typeOverAll(page, dialog.getByLabel('Input'), `{"it's":"$HOME"}`)
  const copied = async (as: string) => {
    await dialog.getByRole('button', { name: 'Copy as' }).click()
    await page.getByRole('menuitem', { name: as }).click()
    await expect(page.getByText(`Copied as ${as}`)).toBeVisible()
    return page.evaluate(() => navigator.clipboard.readText())
  }
  expect(await copied('curl')).toContain(`curl -sS ${runtime.url}/v1/executions`)
  expect(await copied('CLI')).toBe(
    `npm run -s wes -- start --url ${runtime.url} --input='{"it'\\''s":"$HOME"}' start-copy`,
  )
  expect(await copied('TypeScript')).toContain(`await client.start('start-copy', { 'it\\'s': '$HOME' })`)
  expect(await copied('Rust')).toContain(`.start("start-copy", json!({ "it's": "$HOME" }))`)
})

test('the dialog is accessible', async ({ deploy, page }) => {
  await deploy(order('start-axe'))
  const dialog = await openStart(page, 'start-axe')
  await dialog.getByRole('button', { name: 'Add to lines' }).click()
  await dialog.getByRole('button', { name: 'More' }).click()
  await expect(dialog.getByLabel('Input')).toBeVisible()
  await looksGood(page, 'start-execution')
})

test('a Program’s screen can start it', async ({ deploy, client, page }) => {
  await deploy(order('start-page'))
  await page.goto('/programs/start-page?tab=start')
  await expect(page.getByLabel('orderId')).toBeVisible()
  await looksGood(page, 'program-start')
  await page.getByLabel('orderId').fill('from-page')
  await page.getByLabel('cents').fill('7')
  await page.keyboard.press('Control+Enter')
  const id = await openedExecution(page)
  expect((await client.getExecution(id)).input).toEqual({ orderId: 'from-page', cents: 7, currency: 'EUR' })
})

test('what is typed on a Program’s screen stays while its other tabs and versions are looked at', async ({
  deploy,
  page,
}) => {
  await deploy(order('start-tabs'))
  const arrives = Promise.withResolvers<void>()
  await page.route(/\/versions(?:\?|$)/, async (route) => {
    await arrives.promise
    await route.continue()
  })
  await page.goto('/programs/start-tabs?tab=start')
  await expect(page.getByText('Loading the versions of start-tabs')).toBeVisible()
  const moved = await watchShifts(page)
  arrives.resolve()
  const typed = page.getByRole('textbox', { name: 'orderId' })
  await expect(typed).toBeVisible()
  await expect(page.getByRole('main').getByRole('button', { name: 'Start execution' })).toBeVisible()
  expect(await moved(), 'the buttons come when the form has its height').toBeLessThan(0.0005)
  await typed.fill('o-4711')
  await page.getByRole('button', { name: 'More' }).click()
  await page.getByLabel('Idempotency-Key').fill(`key ${Date.now()}`)
  await page.getByRole('button', { name: /^Version: / }).click()
  await page.getByRole('option', { name: 'Version 1' }).click()
  await page.getByRole('tab', { name: 'Executions' }).click()
  await expect(typed).toHaveCount(0)
  await page.getByRole('tab', { name: 'Versions' }).click()
  await page.getByRole('table', { name: 'Versions' }).getByRole('link').first().click()
  await expect(page).toHaveURL(/versions\/1/)
  await page.goBack()
  await page.getByRole('tab', { name: 'Start' }).click()
  await expect(typed).toHaveValue('o-4711')
  await expect(page.getByRole('button', { name: /^Version: / })).toHaveText('Version 1')
  await expect(page.getByLabel('Idempotency-Key')).toHaveValue(/^key /)
  await page.getByLabel('cents').fill('5')
  await page.keyboard.press('Control+Enter')
  await openedExecution(page)
  // What was started is not a draft any more.
  await page.goBack()
  await expect(page.getByLabel('currency')).toBeVisible()
  await expect(typed).toHaveValue('')
})

test('a click outside keeps a dialog with entries open, and closes an empty one', async ({ deploy, page }) => {
  await deploy(order('start-outside'))
  await page.goto('/programs/start-outside')
  const dialog = page.getByRole('dialog', { name: 'Start execution' })
  await page.getByRole('button', { name: 'Start execution' }).first().click()
  await expect(dialog.getByLabel('orderId')).toBeVisible()
  await page.mouse.click(5, 5)
  await expect(dialog).toHaveCount(0)
  await page.getByRole('button', { name: 'Start execution' }).first().click()
  await dialog.getByLabel('orderId').fill('kept')
  await page.mouse.click(5, 5)
  await expect(dialog.getByLabel('orderId')).toHaveValue('kept')
})

test('what is typed before the answer to a start stays, and a refusal is still shown', async ({
  deploy,
  page,
  allow,
}) => {
  allow(/status of 422/)
  await deploy(echo('start-late'))
  const dialog = await openStart(page, 'start-late')
  const hold = async (answer: Promise<void>, refuse: boolean) => {
    await page.route(
      STARTS,
      async (route) => {
        await answer
        if (!refuse) return route.continue()
        return route.fulfill({ status: 422, json: { error: { code: 'program_not_runnable', message: 'Not today' } } })
      },
      { times: 1 },
    )
    const sent = page.waitForRequest(STARTS)
    await page.keyboard.press('Control+Enter')
    await sent
  }
  const refusal = Promise.withResolvers<void>()
  await hold(refusal.promise, true)
  await typeOverAll(page, dialog.getByLabel('Input'), '1')
  refusal.resolve()
  await expect(dialog.getByText('Not today')).toBeVisible()

  const answer = Promise.withResolvers<void>()
  await hold(answer.promise, false)
  await typeOverAll(page, dialog.getByLabel('Input'), '2')
  answer.resolve()
  await expect(page.getByText('Execution started')).toBeVisible()
  await expect(dialog.getByLabel('Input')).toHaveText('2')
})

test('a start whose dialog was closed before its answer leaves the screen and the next dialog', async ({
  deploy,
  page,
}) => {
  await deploy(echo('start-closed'))
  const dialog = await openStart(page, 'start-closed')
  const answer = Promise.withResolvers<void>()
  await page.route(STARTS, async (route) => {
    await answer.promise
    await route.continue()
  })
  const sent = page.waitForRequest(STARTS)
  await dialog.getByRole('button', { name: 'Start execution' }).click()
  await sent
  await dialog.getByRole('button', { name: 'Close' }).last().click()
  await page.keyboard.press('Control+k')
  const palette = page.getByRole('combobox', { name: 'Search everything' })
  await palette.fill('typed')
  answer.resolve()
  await expect(page.getByText('Execution started')).toBeVisible()
  await expect(palette).toHaveValue('typed')
  await expect(page).toHaveURL(/\/executions$/)
})
