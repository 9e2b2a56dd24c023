// Cancelling an Execution, and deleting one that has ended.

import { expect, interceptFromTheStart, test } from './fixtures.ts'
import { looksGood, compensating, echo, offline, refused, waitingOrder } from './dialogs.test-support.ts'
import { untilStatus } from './until-status.test-support.ts'

test.beforeEach(interceptFromTheStart)

test('a cancel by keyboard describes its effect first', async ({ client, page }) => {
  const id = await waitingOrder(client, 'cancel-keys')
  await page.goto(`/executions/${id}`)
  await expect(page.getByRole('button', { name: 'Cancel execution' })).toBeVisible()
  await page.keyboard.press('c')
  const dialog = page.getByRole('dialog', { name: 'Cancel execution' })
  await expect(dialog, 'what screen readers say when it opens').toHaveAccessibleDescription(/up to 30 seconds/)
  await expect(dialog.getByRole('button', { name: 'Keep it running' })).toBeFocused()
  await looksGood(page, 'cancel-execution')
  await page.keyboard.press('Escape')
  await expect(dialog).toHaveCount(0)
  expect((await client.getExecution(id)).status).toBe('waiting')
  await page.keyboard.press('c')
  await expect(dialog).toBeVisible()
  await page.keyboard.press('Control+Enter')
  await expect(dialog).toHaveCount(0)
  await untilStatus(client, id, 'cancelled')
  await expect(page.getByRole('button', { name: 'Cancel execution' })).toHaveAttribute('aria-disabled', 'true')
})

test('a second cancel is not offered while the Execution cleans up', async ({ deploy, client, page }) => {
  await deploy(compensating('cancel-slow'))
  const { id } = await client.start('cancel-slow', { undoMs: 20_000 })
  await untilStatus(client, id, 'waiting')
  await page.goto(`/executions/${id}`)
  await page.getByRole('button', { name: 'Cancel execution' }).click()
  const dialog = page.getByRole('dialog', { name: 'Cancel execution' })
  await expect(dialog).toContainText('up to 30 seconds')
  await client.cancelExecution(id)
  await expect(dialog).toContainText('This Execution is already being cancelled')
  await expect(dialog.getByRole('button', { name: 'Cancel execution' })).toHaveAttribute('aria-disabled', 'true')
  await dialog.getByRole('button', { name: 'Close' }).last().click()
  await expect(dialog).toHaveCount(0)
})

test('an Execution that has ended meanwhile is not cancelled, and the dialog gives the reason', async ({
  client,
  page,
  allow,
}) => {
  allow(refused(409))
  const id = await waitingOrder(client, 'cancel-late')
  await page.goto(`/executions/${id}`)
  await page.getByRole('button', { name: 'Cancel execution' }).click()
  const dialog = page.getByRole('dialog', { name: 'Cancel execution' })
  await page.route(/\/cancel$/, (route) =>
    route.fulfill({
      status: 409,
      json: { error: { code: 'execution_finished', message: `Execution ${id} is completed` } },
    }),
  )
  await dialog.getByRole('button', { name: 'Cancel execution' }).click()
  await expect(dialog.getByRole('alert')).toContainText(`Execution ${id} is completed`)
  await client.sendEvent(id, 'approved', { by: 'Ada' })
  await client.sendEvent(id, 'shipped')
  await expect(dialog).toContainText('This Execution is already completed')
})

test('a cancel without an answer can be repeated', async ({ freshRuntime, page, allow }) => {
  allow(offline)
  allow(/status of 5\d\d/)
  const { client } = freshRuntime
  const id = await waitingOrder(client, 'cancel-offline')
  await page.goto(`${freshRuntime.url}/executions/${id}`)
  await page.getByRole('button', { name: 'Cancel execution' }).click()
  const dialog = page.getByRole('dialog', { name: 'Cancel execution' })
  await expect(dialog).toContainText('up to 30 seconds')
  await freshRuntime.kill()
  await dialog.getByRole('button', { name: 'Cancel execution' }).click()
  await expect(dialog.getByRole('alert')).toContainText('There was no answer')
  await freshRuntime.start()
  await dialog.getByRole('button', { name: 'Cancel execution' }).click()
  await untilStatus(client, id, 'cancelled')
  await expect(dialog).toHaveCount(0)
})

test('a refused delete stays on its screen', async ({ deploy, client, page, allow }) => {
  allow(refused(503))
  await deploy(echo('delete-refused'))
  const { id } = await client.start('delete-refused')
  await untilStatus(client, id, 'completed')
  await page.route(new RegExp(`/v1/executions/${id}$`), (route) =>
    route.request().method() === 'DELETE'
      ? route.fulfill({ status: 503, json: { error: { code: 'unavailable', message: 'the store is full' } } })
      : route.continue(),
  )
  await page.goto(`/executions/${id}`)
  await page.getByRole('button', { name: 'More actions' }).click()
  await page.getByRole('menuitem', { name: /Delete/ }).click()
  const dialog = page.getByRole('dialog', { name: 'Delete execution' })
  await dialog.getByRole('button', { name: 'Delete execution' }).click()
  await expect(dialog).toContainText('the store is full')
  await expect(page).toHaveURL(new RegExp(`/executions/${id}`))
})

test('an ended Execution can be deleted, and its screen is left', async ({ deploy, client, page }) => {
  await deploy(echo('delete-one'))
  const { id } = await client.start('delete-one')
  await untilStatus(client, id, 'completed')
  await page.goto('/executions?programId=delete-one')
  await page.getByRole('grid', { name: 'Executions' }).locator(`a[href$="${id}"]`).click()
  await page.getByRole('button', { name: 'More actions' }).click()
  await page.getByRole('menuitem', { name: /Delete/ }).click()
  const dialog = page.getByRole('dialog', { name: 'Delete execution' })
  await expect(dialog).toContainText('cannot be undone')
  await expect(dialog.getByRole('button', { name: 'Keep it' })).toBeFocused()
  await looksGood(page)
  await dialog.getByRole('button', { name: 'Delete execution' }).click()
  await expect(dialog).toHaveCount(0)
  await expect(page, 'the list from which it was opened').toHaveURL(/\/executions\?programId=delete-one$/)
  await expect(page.getByText('The Execution is deleted')).toBeVisible()
  await expect(page.getByRole('main'), 'the button that opened the dialog is gone').toBeFocused()
  await expect(client.getExecution(id)).rejects.toMatchObject({ code: 'execution_not_found' })

  await test.step('who is elsewhere by then stays there', async () => {
    const late = await client.start('delete-one')
    await untilStatus(client, late.id, 'completed')
    await page.goto(`/executions/${late.id}`)
    const answer = Promise.withResolvers<void>()
    await page.route(new RegExp(`/v1/executions/${late.id}$`), async (route) => {
      if (route.request().method() === 'DELETE') await answer.promise
      await route.continue()
    })
    await page.getByRole('button', { name: 'More actions' }).click()
    await page.getByRole('menuitem', { name: /Delete/ }).click()
    const sent = page.waitForRequest((request) => request.method() === 'DELETE')
    await dialog.getByRole('button', { name: 'Delete execution' }).click()
    await sent
    await dialog.getByRole('button', { name: 'Keep it' }).click()
    await page.getByRole('link', { name: 'Programs' }).click()
    await expect(page.getByRole('table', { name: 'Programs' })).toBeVisible()
    answer.resolve()
    await expect(page.getByText('The Execution is deleted')).toBeVisible()
    await expect(page).toHaveURL(/\/programs$/)
  })
})
