// Running an Execution again.

import { createClient } from '../../src-sdk/create-client.ts'
import { expect, test } from './fixtures.ts'
import { looksGood, echo, openedExecution, order, refused, sentBodies } from './dialogs.test-support.ts'
import { untilStatus } from './until-status.test-support.ts'

test('everything is copied and can be changed', async ({ deploy, client, page, allow }) => {
  allow(refused(404))
  await deploy(order('again-all'))
  const { id } = await client.start('again-all', { orderId: 'first', cents: 3, extra: { kept: [1, null] } })
  await page.goto(`/executions/${id}`)
  await expect(page.getByRole('button', { name: 'Run again' })).toBeVisible()
  await page.keyboard.press('r')
  const dialog = page.getByRole('dialog', { name: 'Run again' })
  await expect(dialog.getByRole('combobox', { name: 'Program' })).toHaveValue('again-all')
  const orderId = dialog.getByLabel('orderId')
  await expect(orderId).toBeFocused()
  await expect(orderId).toHaveValue('first')
  await page.keyboard.type('second')
  await looksGood(page, 'run-again')
  await dialog.getByRole('button', { name: 'Run again' }).click()
  const again = await openedExecution(page, id)
  expect((await client.getExecution(again)).input).toEqual({ orderId: 'second', cents: 3, extra: { kept: [1, null] } })
  // The new one links the Execution that it runs again.
  expect((await client.getExecution(again)).againOf).toBe(id)
  await page.getByRole('main').getByRole('link', { name: id }).click()
  await expect(page).toHaveURL(new RegExp(`/executions/${id}`))
  // And that one links the new one.
  await page.getByRole('main').getByRole('link', { name: again }).click()
  await expect(page.getByRole('main').getByRole('link', { name: id })).toBeVisible()

  await test.step('also once the first one was deleted', async () => {
    await page.keyboard.press('r')
    // Also what is typed before the dialog is there.
    await page.keyboard.type('third')
    await expect(orderId).toHaveValue('third')
    await client.cancelExecution(again)
    await untilStatus(client, again, 'cancelled')
    await client.deleteExecution(again)
    await expect(page.getByText('This Execution was deleted.')).toBeVisible()
    await dialog.getByRole('button', { name: 'Run again' }).click()
    const third = await client.getExecution(await openedExecution(page, again))
    expect([third.againOf, third.input]).toEqual([
      undefined,
      { orderId: 'third', cents: 3, extra: { kept: [1, null] } },
    ])
  })
})

test('big numbers stay exact', async ({ deploy, client, page }) => {
  await deploy(echo('again-exact'))
  const { id } = await client.start('again-exact', 1)
  const exact = '{"n":12345678901234567891,"f":0.1000000000000000055511151231257827}'
  await page.route(new RegExp(`/v1/executions/${id}$`), async (route) => {
    const answer = await route.fetch()
    await route.fulfill({ response: answer, body: (await answer.text()).replace('"input":1', `"input":${exact}`) })
  })
  await page.goto(`/executions/${id}`)
  const bodies = sentBodies(page, /\/v1\/executions$/)
  await page.getByRole('button', { name: 'Run again' }).click()
  await expect(page.getByRole('dialog').getByLabel('Input')).toContainText('12345678901234567891')
  await expect(page.getByRole('dialog').getByLabel('Input')).toBeFocused()
  await page.keyboard.press('Control+Enter')
  await openedExecution(page, id)
  expect(bodies).toEqual([`{"programId":"again-exact","input":${exact},"againOf":"${id}"}`])
})

test('the newest version runs by default, and a notice says so', async ({ deploy, client, page }) => {
  await deploy(echo('again-version'))
  const { id } = await client.start('again-version', 'x')
  await deploy({ ...echo('again-version'), description: 'newer' })
  await page.goto(`/executions/${id}`)
  await page.getByRole('button', { name: 'Run again' }).click()
  const dialog = page.getByRole('dialog', { name: 'Run again' })
  await expect(dialog.getByText('The original ran version 1. This run will use version 2.')).toBeVisible()
  await dialog.getByRole('button', { name: 'Use version 1' }).click()
  await expect(dialog.getByText('this will run version')).toHaveCount(0)
  await page.keyboard.press('Control+Enter')
  expect((await client.getExecution(await openedExecution(page, id))).versionNumber).toBe(1)
})

test('it runs in the project of the original', async ({ client, page, runtime }) => {
  const project = await client.createProject({ name: `Again ${crypto.randomUUID()}` })
  const inProject = createClient({ url: runtime.url, projectId: project.id })
  await inProject.deployProgram(echo('again-project'))
  const { id } = await inProject.start('again-project', 'there')
  await page.goto(`/executions/${id}`)
  await page.getByRole('button', { name: 'Run again' }).click()
  await expect(page.getByRole('dialog').getByRole('combobox', { name: 'Program' })).toHaveValue('again-project')
  await page.keyboard.press('Control+Enter')
  const again = await openedExecution(page, id)
  expect((await client.getExecution(again)).projectId).toBe(project.id)
})

test('a deleted Execution cannot be copied, and the dialog says so', async ({ client, deploy, page, allow }) => {
  allow(refused(404))
  await deploy(echo('again-gone'))
  const { id } = await client.start('again-gone')
  await untilStatus(client, id, 'completed')
  await page.route(new RegExp(`/v1/executions/${id}$`), (route) =>
    route.fulfill({ status: 404, json: { error: { code: 'execution_not_found', message: `${id} is gone` } } }),
  )
  await page.goto(`/executions?q=${id}`)
  await page.getByRole('button', { name: `Actions for ${id}` }).click()
  await page.getByRole('menuitem', { name: 'Run again' }).click()
  await expect(page.getByRole('dialog', { name: 'Run again' })).toContainText(`${id} is gone`)
})
