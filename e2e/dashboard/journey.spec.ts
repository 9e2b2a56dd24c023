// The main workflow of a new user, with and without the mouse, and the failures of each action, which keep all typed
// text.

import type { Locator, Page } from '@playwright/test'
import type { ServiceClient } from '../../src-sdk/create-client.ts'
import type { DashboardRuntime } from './dashboard-runtime.ts'
import { openedExecution, typeOverAll } from './dialogs.test-support.ts'
import { untilStatus } from './until-status.test-support.ts'
import { expect, interceptFromTheStart, test } from './fixtures.ts'

const ORDER_SOURCE = `import { defineProgram } from 'workflow-execution-service'

export default defineProgram({ id: 'order-approval', events: [{ name: 'approved' }] }, async (ctx, input: any) => {
  if (input.cents > 90_000) throw new RangeError('order ' + input.orderId + ' is over the limit')
  const { by } = await ctx.waitForEvent('approved')
  return { orderId: input.orderId, approvedBy: by }
})
`

const main = (page: Page): Locator => page.getByRole('main')
const status = (page: Page, word: string): Locator => main(page).getByText(word, { exact: true }).first()

const deployBySaving = async (runtime: DashboardRuntime, page: Page): Promise<void> => {
  await expect(main(page).getByRole('heading', { name: 'No Programs yet' })).toBeVisible()
  runtime.write('programs/order-approval.ts', ORDER_SOURCE)
  await expect(main(page).getByRole('heading', { name: 'No Executions yet' })).toBeVisible()
}

test.beforeEach(interceptFromTheStart)

test('from an empty runtime to the first result, failure and cancel', async ({ freshRuntime, page }) => {
  await page.goto(freshRuntime.url)
  await deployBySaving(freshRuntime, page)

  await main(page).getByRole('button', { name: 'Start execution' }).click()
  const start = page.getByRole('dialog', { name: 'Start execution' })
  await expect(start.getByRole('combobox', { name: 'Program' })).toHaveValue('order-approval')
  await typeOverAll(page, start.getByLabel('Input'), '{ "orderId": "A-1", "cents": 4900 }')
  await start.getByRole('button', { name: 'Start execution' }).click()
  const first = await openedExecution(page)

  await expect(status(page, 'waiting')).toBeVisible()
  await expect(page.getByRole('region', { name: 'Waiting for' })).toContainText('approved')
  await main(page).getByRole('button', { name: 'Send event' }).click()
  const send = page.getByRole('dialog', { name: 'Send event' })
  await expect(send.getByRole('group', { name: 'Waiting for' })).toContainText('approved')
  await typeOverAll(page, send.getByLabel('Payload'), '{ "by": "Grace" }')
  await send.getByRole('button', { name: 'Send event' }).click()
  await expect(send).toBeHidden()

  await expect(status(page, 'completed')).toBeVisible()
  await page.getByRole('tab', { name: 'Data' }).click()
  await expect(page.getByRole('region', { name: 'Result' })).toContainText('Grace')

  await main(page).getByRole('button', { name: 'Run again' }).click()
  const again = page.getByRole('dialog', { name: 'Run again' })
  await expect(again.getByLabel('Input')).toContainText('"cents": 4900')
  await typeOverAll(page, again.getByLabel('Input'), '{ "orderId": "A-2", "cents": 120000 }')
  await again.getByRole('button', { name: 'Run again' }).click()
  const second = await openedExecution(page, first)
  await expect(page.getByRole('region', { name: 'Error' })).toContainText('order A-2 is over the limit')

  await page.getByRole('link', { name: 'Executions', exact: true }).click()
  const grid = page.getByRole('grid', { name: 'Executions' })
  await expect(grid.getByRole('row', { name: second })).toContainText('failed')
  await main(page).getByRole('button', { name: 'Start execution' }).click()
  await typeOverAll(page, start.getByLabel('Input'), '{ "orderId": "A-3", "cents": 1 }')
  await start.getByRole('button', { name: 'Start execution' }).click()
  await expect(status(page, 'waiting')).toBeVisible()
  await main(page).getByRole('button', { name: 'Cancel execution' }).click()
  await page.getByRole('dialog', { name: 'Cancel execution' }).getByRole('button', { name: 'Cancel execution' }).click()
  await expect(status(page, 'cancelled')).toBeVisible()

  await page.getByRole('link', { name: 'Errors' }).click()
  await page
    .getByRole('table', { name: 'Errors' })
    .getByRole('link', { name: /over the limit/ })
    .click()
  await expect(grid.getByRole('rowheader')).toHaveText([second])
  await page.getByRole('link', { name: 'Metrics' }).click()
  const totals = page.locator('dl[aria-label="Totals"]')
  for (const figure of ['Started3', 'Completed1', 'Failed1', 'Cancelled1']) await expect(totals).toContainText(figure)
})

/** Presses Tab until the element has the focus. */
const tabTo = async (page: Page, target: Locator): Promise<void> => {
  await expect(target).toBeVisible()
  for (let tabs = 0; tabs < 40; tabs++) {
    if (await target.evaluate((element) => element === element.ownerDocument.activeElement)) return
    await page.keyboard.press('Tab')
  }
  await expect(target).toBeFocused()
}

/** Replaces the text of the focused editor. */
const typeOver = async (page: Page, text: string): Promise<void> => {
  await page.keyboard.press('ControlOrMeta+a')
  await page.keyboard.type(text)
}

/** Moves by Tab. In the page, the editor's host has the focus. */
const tabToEditor = async (page: Page, editor: Locator): Promise<void> => {
  await expect(editor).toBeVisible()
  for (let tabs = 0; tabs < 40; tabs++) {
    const isThere = await editor.evaluate(
      (element) => (element.getRootNode() as ShadowRoot | Document).activeElement === element,
    )
    if (isThere) return
    await page.keyboard.press('Tab')
  }
  throw new Error('Tab does not lead to the editor')
}

test('the same by keyboard', async ({ freshRuntime, page }) => {
  await page.goto(freshRuntime.url)
  await deployBySaving(freshRuntime, page)

  await page.keyboard.press('s')
  const start = page.getByRole('dialog', { name: 'Start execution' })
  await tabToEditor(page, start.getByLabel('Input'))
  await typeOver(page, '{"orderId":"A-1","cents":4900}')
  await page.keyboard.press('ControlOrMeta+Enter')
  const first = await openedExecution(page)
  await expect(status(page, 'waiting')).toBeVisible()
  await expect(main(page), 'the keyboard goes on in the screen that the start has opened').toBeFocused()

  await page.keyboard.press('e')
  const send = page.getByRole('dialog', { name: 'Send event' })
  await expect(send.getByLabel('Event name')).toHaveValue('approved')
  await tabToEditor(page, send.getByLabel('Payload'))
  await typeOver(page, '{"by":"Grace"}')
  await page.keyboard.press('ControlOrMeta+Enter')
  await expect(send).toBeHidden()
  await expect(status(page, 'completed')).toBeVisible()
  await tabTo(page, page.getByRole('tab', { name: 'Timeline' }))
  await page.keyboard.press('ArrowRight')
  await page.keyboard.press('ArrowRight')
  await page.keyboard.press('Enter')
  await expect(page.getByRole('region', { name: 'Result' })).toContainText('Grace')

  await page.keyboard.press('r')
  const again = page.getByRole('dialog', { name: 'Run again' })
  await tabToEditor(page, again.getByLabel('Input'))
  await typeOver(page, '{"orderId":"A-2","cents":120000}')
  await page.keyboard.press('ControlOrMeta+Enter')
  const second = await openedExecution(page, first)
  await expect(page.getByRole('region', { name: 'Error' })).toContainText('order A-2 is over the limit')
  await expect(main(page), 'the tab that had the focus was of the other Execution').toBeFocused()

  await page.keyboard.press('r')
  await tabToEditor(page, again.getByLabel('Input'))
  await typeOver(page, '{"orderId":"A-3","cents":1}')
  await page.keyboard.press('ControlOrMeta+Enter')
  await openedExecution(page, second)
  await expect(status(page, 'waiting')).toBeVisible()
  await page.keyboard.press('c')
  await tabTo(page, page.getByRole('dialog').getByRole('button', { name: 'Cancel execution' }))
  await page.keyboard.press('Enter')
  await expect(status(page, 'cancelled')).toBeVisible()

  await page.keyboard.press('g')
  await page.keyboard.press('r')
  const failure = page.getByRole('table', { name: 'Errors' }).getByRole('link', { name: /over the limit/ })
  await expect(failure).toBeVisible()
  await page.keyboard.press('j')
  await expect(failure).toBeFocused()
  await page.keyboard.press('Enter')
  await expect(page.getByRole('grid', { name: 'Executions' }).getByRole('rowheader')).toHaveText([second])
  await page.keyboard.press('g')
  await page.keyboard.press('m')
  await expect(page.locator('dl[aria-label="Totals"]')).toContainText('Started3')
})

type Action = {
  /** The name of its button, its dialog and the button in it. */
  readonly name: string
  /** The request to the service. */
  readonly asks: RegExp
  /** The path of the action's request. */
  readonly method: 'POST' | 'DELETE'
  readonly open: (page: Page, id: string) => Promise<void>
  /** Fills its fields, and returns a check that they are unchanged. */
  readonly fill: (dialog: Locator) => Promise<() => Promise<void>>
  /** Checks that the action succeeded in the end. */
  readonly done: (page: Page, client: ServiceClient, id: string) => Promise<void>
}

const openExecution = async (page: Page, id: string): Promise<void> => {
  await page.goto(`/executions/${id}`)
  await expect(status(page, 'waiting')).toBeVisible()
}
const press = (page: Page, name: string) => main(page).getByRole('button', { name }).first().click()
const fillEditor = async (dialog: Locator, label: string, text: string) => {
  await typeOverAll(dialog.page(), dialog.getByLabel(label), text)
  return () => expect(dialog.getByLabel(label)).toHaveText(text)
}

const ACTIONS: readonly Action[] = [
  {
    name: 'Start execution',
    asks: /\/v1\/executions$/,
    method: 'POST',
    open: async (page) => {
      await page.goto('/programs/failing-paths')
      await press(page, 'Start execution')
    },
    fill: (dialog) => fillEditor(dialog, 'Input', '{"typed":"by hand"}'),
    done: async (page, client, id) => {
      const started = await openedExecution(page, id)
      expect((await client.getExecution(started)).input).toEqual({ typed: 'by hand' })
    },
  },
  {
    name: 'Run again',
    asks: /\/v1\/executions$/,
    method: 'POST',
    open: async (page, id) => {
      await openExecution(page, id)
      await press(page, 'Run again')
    },
    fill: (dialog) => fillEditor(dialog, 'Input', '{"typed":"once more"}'),
    done: async (page, client, id) => {
      const started = await openedExecution(page, id)
      expect((await client.getExecution(started)).input).toEqual({ typed: 'once more' })
    },
  },
  {
    name: 'Send event',
    asks: /\/events$/,
    method: 'POST',
    open: async (page, id) => {
      await openExecution(page, id)
      await press(page, 'Send event')
    },
    fill: async (dialog) => {
      await dialog.getByLabel('Event name').fill('something-else')
      const payload = await fillEditor(dialog, 'Payload', '{"typed":"by hand"}')
      return async () => {
        await payload()
        await expect(dialog.getByLabel('Event name')).toHaveValue('something-else')
      }
    },
    done: async (page, client, id) => {
      await expect(page.getByText('Event something-else sent')).toBeVisible()
      const { items } = await client.getHistory(id)
      expect(items.filter(({ type }) => type === 'event_received')).toHaveLength(1)
    },
  },
  {
    name: 'Cancel execution',
    asks: /\/cancel$/,
    method: 'POST',
    open: async (page, id) => {
      await openExecution(page, id)
      await press(page, 'Cancel execution')
    },
    fill: async () => async () => {},
    done: async (_page, client, id) => {
      await untilStatus(client, id, 'cancelled')
    },
  },
  {
    name: 'New project',
    asks: /\/v1\/projects$/,
    method: 'POST',
    open: async (page) => {
      await page.goto('/projects')
      await press(page, 'New project')
    },
    fill: async (dialog) => {
      const name = `typed by hand ${process.pid}`
      await dialog.getByLabel('Name').fill(name)
      return () => expect(dialog.getByLabel('Name')).toHaveValue(name)
    },
    done: async (_page, client) => {
      const { items } = await client.listProjects()
      expect(items.filter(({ name }) => name === `typed by hand ${process.pid}`)).toHaveLength(1)
    },
  },
]

/** A failure of the service or the connection, and the dialog's message. */
const FAULTS = [
  { status: 404, code: 'version_not_found', message: 'There is nothing of that id any more' },
  { status: 409, code: 'conflict', message: 'It has ended meanwhile' },
  { status: 413, code: 'payload_too_large', message: 'It is larger than 1 MiB', says: /1 MiB/ },
  { status: 500, code: 'internal', message: 'The disk is full' },
  { status: 503, code: 'unavailable', message: 'It is being stopped', says: /answer|stopped/ },
  { status: 'offline', says: /answer|reach/ },
] as const

for (const { name, asks, method, open, fill, done } of ACTIONS) {
  test(`${name} reports the failure, keeps the typed text, and can be repeated`, async ({
    client,
    deploy,
    page,
    allow,
  }) => {
    allow(/status of (404|409|413|500|503)|ERR_CONNECTION_REFUSED/)
    await deploy({
      format: 'wes.program/1',
      id: 'failing-paths',
      program: { code: `({ run: async (ctx, input) => ctx.waitForEvent('never') })` },
    })
    const { id } = await client.start('failing-paths', { first: true })
    await untilStatus(client, id, 'waiting')
    await open(page, id)
    const dialog = page.getByRole('dialog', { name })
    const isKept = await fill(dialog)
    const submit = dialog.getByRole('button', { name: new RegExp(`^(${name}|Create project)`) })

    const isIt = (url: URL): boolean => asks.test(url.pathname)
    for (const fault of FAULTS) {
      await page.route(isIt, (route) => {
        if (route.request().method() !== method) return route.fallback()
        if (fault.status === 'offline') return route.abort('connectionrefused')
        const { status: answered, code, message } = fault
        return route.fulfill({ status: answered, json: { error: { code, message } } })
      })
      await submit.click()
      await expect(dialog).toContainText('says' in fault ? fault.says : fault.message)
      await isKept()
      await page.unroute(isIt)
    }
    await submit.click()
    await expect(dialog).toBeHidden()
    await done(page, client, id)
  })
}

test('an event is sent after the runtime crashed during the dialog and is back', async ({
  freshRuntime,
  page,
  allow,
}) => {
  allow(/ERR_CONNECTION_REFUSED|ERR_EMPTY_RESPONSE|ERR_CONNECTION_RESET|ERR_INCOMPLETE_CHUNKED|503/)
  const { client } = freshRuntime
  await client.deployProgram({
    format: 'wes.program/1',
    id: 'gate',
    program: { code: `({ run: async (ctx) => ctx.waitForEvent('opened') })` },
  })
  const { id } = await client.start('gate')
  await untilStatus(client, id, 'waiting')
  await page.goto(`${freshRuntime.url}/executions/${id}`)
  await press(page, 'Send event')
  const dialog = page.getByRole('dialog', { name: 'Send event' })
  const isKept = await fillEditor(dialog, 'Payload', '{"by":"Grace"}')
  await freshRuntime.kill()
  await dialog.getByRole('button', { name: 'Send event' }).click()
  await expect(dialog.getByRole('alert').filter({ hasText: 'There was no answer' })).toBeVisible()
  await isKept()
  await freshRuntime.start()
  await dialog.getByRole('button', { name: 'Send event' }).click()
  await expect(dialog).toBeHidden()
  await untilStatus(client, id, 'completed')
  expect((await client.getResult(id)).result).toEqual({ by: 'Grace' })
  // The page follows the runtime again.
  await expect(page.getByRole('main')).toContainText('{"by": "Grace"}')
})
