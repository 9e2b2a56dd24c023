// Sending an event: awaited names first, by keyboard, with and without a payload, and errors.

import type { Page } from '@playwright/test'
import { expect, interceptFromTheStart, test } from './fixtures.ts'
import {
  looksGood,
  echo,
  offline,
  refused,
  sentBodies,
  tabTo,
  waitingOrder,
  typeOverAll,
  deleteAll,
} from './dialogs.test-support.ts'
import { untilStatus } from './until-status.test-support.ts'

const EVENTS = /\/events$/

const openSend = async (page: Page, id: string) => {
  await page.goto(`/executions/${id}`)
  await expect(page.getByRole('button', { name: 'Send event', exact: true })).toBeVisible()
  await page.keyboard.press('e')
  const dialog = page.getByRole('dialog', { name: 'Send event' })
  await expect(dialog.getByLabel('Payload')).toBeVisible()
  return dialog
}

const json = (status: number, code: string) => ({ status, json: { error: { code, message: 'the service says no' } } })

test.beforeEach(interceptFromTheStart)

test('of hundreds of awaited events the first are shown, and others can be typed', async ({ client, page }) => {
  const code = `({ run: (ctx) => Promise.all(Array.from({ length: 300 }, (_, n) => ctx.waitForEvent('event-' + n))) })`
  await client.deployProgram({ ...echo('event-many'), program: { code } })
  const { id } = await client.start('event-many')
  await untilStatus(client, id, 'waiting')
  const dialog = await openSend(page, id)
  const awaited = dialog.getByRole('group', { name: 'Waiting for' })
  await expect(awaited).toContainText('and 200 more, whose names can be typed')
  await expect(awaited.getByRole('button')).toHaveCount(100)
  await expect(awaited.getByRole('button').first()).toContainText('event-0')
  await dialog.getByLabel('Event name').fill('event-299')
  await page.keyboard.press('Control+Enter')
  await expect(dialog).toHaveCount(0)
  await expect.poll(async () => (await client.getExecution(id)).waitingFor.length).toBe(299)
})

test('the awaited event comes first, and can be sent by keyboard', async ({ client, page }) => {
  const id = await waitingOrder(client, 'event-keys')
  const dialog = await openSend(page, id)
  const awaited = dialog.getByRole('group', { name: 'Waiting for' })
  await expect(awaited.getByRole('button', { name: /approved/ })).toHaveAttribute('aria-pressed', 'true')
  await expect(awaited).toContainText('times out in')
  await expect(dialog.getByRole('group', { name: 'Declared by the Program' })).toHaveText(/rejected/)
  await expect(dialog.getByLabel('Event name')).toHaveValue('approved')
  await expect(dialog.getByLabel('Event name')).toBeFocused()
  await looksGood(page, 'send-event')
  await tabTo(page, dialog.getByRole('textbox', { name: 'by' }))
  await page.keyboard.type('Ada')
  await page.keyboard.press('Control+Enter')
  await expect(dialog).toHaveCount(0)
  await expect(page.getByText('Event approved sent')).toBeVisible()
  await client.sendEvent(id, 'shipped')
  await untilStatus(client, id, 'completed')
  expect((await client.getResult(id)).result).toEqual({ approved: { by: 'Ada' } })
})

test('the dialog can stay open for another event', async ({ client, page }) => {
  const id = await waitingOrder(client, 'event-more')
  const dialog = await openSend(page, id)
  const bodies = sentBodies(page, EVENTS)
  await dialog.getByRole('checkbox', { name: 'Keep open to send another' }).check()
  await typeOverAll(page, dialog.getByLabel('Payload'), '{"by":"Ada","big":12345678901234567890}')
  await page.keyboard.press('Control+Enter')
  await expect(page.getByText('Event approved sent')).toBeVisible()
  await expect(dialog.getByRole('group', { name: 'Waiting for' })).toHaveText(/shipped/)
  await dialog.getByRole('button', { name: /shipped/ }).click()
  await expect(dialog.getByLabel('Event name')).toHaveValue('shipped')
  await page.keyboard.press('Control+Enter')
  await untilStatus(client, id, 'completed')
  expect(bodies).toEqual([
    '{"name":"approved","payload":{"by":"Ada","big":12345678901234567890}}',
    '{"name":"shipped"}',
  ])
})

test('after an event, the form and the JSON are as they were at first', async ({ client, page }) => {
  const id = await waitingOrder(client, 'event-emptied')
  const dialog = await openSend(page, id)
  const bodies = sentBodies(page, EVENTS)
  const by = dialog.getByRole('textbox', { name: 'by' })
  await dialog.getByRole('checkbox', { name: 'Keep open to send another' }).check()
  await by.fill('Ada')
  await page.keyboard.press('Control+Enter')
  await expect(page.getByText('Event approved sent')).toBeVisible()
  await dialog.getByLabel('Event name').fill('approved')
  await expect(by).toHaveValue('')
  await expect(dialog.getByLabel('Payload')).toHaveText('{}')
  await by.fill('Grace')
  await page.keyboard.press('Control+Enter')
  await expect.poll(() => bodies).toHaveLength(2)
  expect(bodies[1]).toBe('{"name":"approved","payload":{"by":"Grace"}}')

  await typeOverAll(page, dialog.getByLabel('Payload'), '{"by":"Edsger"}')
  await expect(by).toHaveValue('Edsger')
  await deleteAll(page, dialog.getByLabel('Payload'))
  await expect(by).toHaveValue('')
})

test('keys that are typed before the dialog is there replace the name', async ({ client, page }) => {
  const id = await waitingOrder(client, 'event-early')
  const code = Promise.withResolvers<void>()
  const versions = Promise.withResolvers<void>()
  await page.route(/send-event-dialog/, async (route) => {
    await code.promise
    await route.continue()
  })
  await page.goto(`/executions/${id}`)
  await expect(page.getByRole('button', { name: 'Send event' })).toBeVisible()
  await page.route(/\/versions/, async (route) => {
    await versions.promise
    await route.continue()
  })
  await page.keyboard.type('esh')
  code.resolve()
  const dialog = page.getByRole('dialog', { name: 'Send event' })
  await expect(dialog).toBeVisible()
  await page.keyboard.type('ixx')
  await page.keyboard.press('Backspace')
  await page.keyboard.press('Backspace')
  versions.resolve()
  await expect(dialog.getByLabel('Event name')).toHaveValue('shi')
  await page.keyboard.type('pped')
  await expect(dialog.getByLabel('Event name')).toHaveValue('shipped')
})

test('what is typed before the answer to an event stays, and is another event', async ({ client, page, allow }) => {
  allow(refused(429))
  const id = await waitingOrder(client, 'event-late')
  const dialog = await openSend(page, id)
  await dialog.getByLabel('Event name').fill('first')
  const refusal = Promise.withResolvers<void>()
  await page.route(
    EVENTS,
    async (route) => {
      await refusal.promise
      await route.fulfill(json(429, 'rate_limited'))
    },
    { times: 1 },
  )
  let sent = page.waitForRequest(EVENTS)
  await page.keyboard.press('Control+Enter')
  await sent
  await typeOverAll(page, dialog.getByLabel('Payload'), '1')
  refusal.resolve()
  await expect(dialog.getByText('the service says no')).toBeVisible()

  const answer = Promise.withResolvers<void>()
  await page.route(
    EVENTS,
    async (route) => {
      await answer.promise
      await route.continue()
    },
    { times: 1 },
  )
  sent = page.waitForRequest(EVENTS)
  await page.keyboard.press('Control+Enter')
  await sent
  await typeOverAll(page, dialog.getByLabel('Payload'), '2')
  answer.resolve()
  await expect(page.getByText('Event first sent')).toBeVisible()
  await expect(dialog.getByLabel('Payload')).toHaveText('2')
  const bodies = sentBodies(page, EVENTS)
  await page.keyboard.press('Control+Enter')
  await expect(dialog).toHaveCount(0)
  expect(bodies).toEqual(['{"name":"first","payload":2}'])
})

test('any name may be typed, without a payload', async ({ client, page }) => {
  const id = await waitingOrder(client, 'event-free')
  const dialog = await openSend(page, id)
  const bodies = sentBodies(page, EVENTS)
  await dialog.getByLabel('Event name').fill('')
  await page.keyboard.press('Control+Enter')
  await expect(dialog.getByText('Give the event a name')).toBeVisible()
  await dialog.getByLabel('Event name').fill(`it's "quoted"`)
  await page.keyboard.press('Control+Enter')
  await expect(dialog).toHaveCount(0)
  expect(bodies).toEqual([`{"name":"it's \\"quoted\\""}`])
})

test('an invalid payload is shown at its field, by the dialog and by the service', async ({ client, page, allow }) => {
  allow(refused(400))
  const id = await waitingOrder(client, 'event-faults')
  const dialog = await openSend(page, id)
  await page.keyboard.press('Control+Enter')
  await expect(dialog.getByRole('textbox', { name: 'by' })).toHaveAccessibleDescription(/is missing/)
  const answer = page.waitForResponse(EVENTS)
  await dialog.getByRole('button', { name: 'Send anyway' }).click()
  await answer
  await expect(dialog.getByText('is missing')).toHaveCount(1)
  await dialog.getByRole('textbox', { name: 'by' }).fill('Ada')
  await expect(dialog.getByText('is missing')).toHaveCount(0)
})

test('an Execution that has ended meanwhile takes no events, and the dialog says so', async ({
  client,
  page,
  allow,
}) => {
  allow(refused(409))
  const id = await waitingOrder(client, 'event-ended')
  const dialog = await openSend(page, id)
  await typeOverAll(page, dialog.getByLabel('Payload'), '{"by":"Ada"}')
  await page.route(EVENTS, (route) => route.fulfill(json(409, 'execution_finished')), { times: 1 })
  await page.keyboard.press('Control+Enter')
  await expect(dialog.getByText('The Execution has ended and accepts no more events.')).toBeVisible()
  await client.cancelExecution(id)
  await expect(dialog.getByRole('button', { name: 'Send event' })).toHaveAttribute('aria-disabled', 'true')
})

test('an Execution’s end is shown at once in the open dialog', async ({ client, page }) => {
  const id = await waitingOrder(client, 'event-live')
  const dialog = await openSend(page, id)
  await client.cancelExecution(id)
  await expect(dialog.getByText('it accepts no more events')).toBeVisible()
  await looksGood(page)
})

test('too many and too large events are described', async ({ client, page, allow }) => {
  allow(refused(429))
  allow(refused(413))
  const id = await waitingOrder(client, 'event-limits')
  const dialog = await openSend(page, id)
  await dialog.getByLabel('Event name').fill('rejected')
  await page.route(EVENTS, (route) => route.fulfill(json(429, 'rate_limited')), { times: 1 })
  await page.keyboard.press('Control+Enter')
  await expect(dialog.getByText('the service says no')).toBeVisible()
  await typeOverAll(page, dialog.getByLabel('Payload'), JSON.stringify('x'.repeat(1024 * 1024)))
  await page.keyboard.press('Control+Enter')
  await expect(dialog.getByRole('alert').filter({ hasText: '1 MiB' })).toBeVisible()
  await page.route(EVENTS, (route) => route.fulfill(json(413, 'payload_too_large')), { times: 1 })
  await typeOverAll(page, dialog.getByLabel('Payload'), '1')
  await page.keyboard.press('Control+Enter')
  await expect(dialog.getByRole('alert').filter({ hasText: '1 MiB' })).toBeVisible()
})

test('an event whose answer is lost can be sent again and is stored once; sent again after that, it is another', async ({
  client,
  page,
  allow,
}) => {
  allow(/ERR_FAILED/)
  const id = await waitingOrder(client, 'event-lost')
  const dialog = await openSend(page, id)
  await dialog.getByLabel('Event name').fill('rejected')
  await typeOverAll(page, dialog.getByLabel('Payload'), '1')
  await dialog.getByRole('checkbox', { name: 'Keep open to send another' }).check()
  await page.route(
    EVENTS,
    async (route) => {
      await route.fetch()
      await route.abort()
    },
    { times: 1 },
  )
  const received = async () =>
    (await client.getHistory(id)).items.filter(({ type }) => type === 'event_received').length
  await page.keyboard.press('Control+Enter')
  await expect(dialog.getByText('You can send it again: it is stored only once.')).toBeVisible()
  await page.keyboard.press('Control+Enter')
  await expect(page.getByText('Event rejected sent')).toBeVisible()
  expect(await received()).toBe(1)
  await typeOverAll(page, dialog.getByLabel('Payload'), '1')
  await page.keyboard.press('Control+Enter')
  await expect.poll(received).toBe(2)
})

test('without an answer, the dialog says that the event may have arrived', async ({ freshRuntime, page, allow }) => {
  allow(offline)
  allow(/status of 5\d\d/)
  const { client } = freshRuntime
  const id = await waitingOrder(client, 'event-offline')
  await page.goto(`${freshRuntime.url}/executions/${id}`)
  await page.getByRole('button', { name: 'Send event' }).click()
  const dialog = page.getByRole('dialog', { name: 'Send event' })
  await typeOverAll(page, dialog.getByLabel('Payload'), '{"by":"Ada"}')
  await freshRuntime.kill()
  await page.keyboard.press('Control+Enter')
  await expect(dialog.getByText('The event may have arrived all the same')).toBeVisible()
})

test('an ended Execution has a disabled button, with the reason', async ({ deploy, client, page }) => {
  await deploy(echo('event-none'))
  const { id } = await client.start('event-none')
  await untilStatus(client, id, 'completed')
  await page.goto(`/executions/${id}`)
  const button = page.getByRole('button', { name: 'Send event' })
  await expect(button).toHaveAttribute('aria-disabled', 'true')
  await button.focus()
  await expect(page.getByText('it accepts no more events')).toBeVisible()
})
