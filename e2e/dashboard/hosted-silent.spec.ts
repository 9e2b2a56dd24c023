// A hosted service that does not answer some requests.

import { expect, interceptFromTheStart } from './fixtures.ts'
import { artifact, signIn, test } from './hosted-fixtures.ts'
import { typeOverAll } from './dialogs.test-support.ts'
import { takeNarrowScreenshots } from './screenshots.test-support.ts'

test.beforeEach(interceptFromTheStart)

test('a schedule is saved, and tried, though the versions of its Program cannot be read', async ({
  page,
  hosted,
  project,
  allow,
}) => {
  allow(/status of 404/)
  await project.client.deployProgram(artifact('hello'))
  await signIn(page, hosted)
  const refusal = { error: { code: 'not_found', message: 'There is nothing here.' } }
  await page.route('**/v1/programs/hello/versions**', (route) => route.fulfill({ status: 404, json: refusal }))
  await page.goto(project.at('triggers'))
  await page.getByRole('button', { name: 'Add schedule' }).click()
  const adding = page.getByRole('dialog', { name: 'Add Trigger' })
  await expect(adding.getByText('The Program’s versions could not be read')).toBeVisible()
  await adding.getByLabel('Cron expression').fill('0 3 1 1 *')
  await adding.getByRole('textbox', { name: 'Name', exact: true }).first().fill('unchecked')
  await typeOverAll(page, adding.getByRole('textbox', { name: 'Input' }), '{ "name": "Ada" }')
  await takeNarrowScreenshots(page, 'triggers-unchecked')
  await adding.getByRole('button', { name: 'Save schedule' }).click()
  await expect(adding).toBeHidden()
  const { items } = await project.client.listTriggers(project.id)
  expect(items).toMatchObject([{ name: 'unchecked', cron: '0 3 1 1 *', input: { name: 'Ada' } }])

  await page.getByRole('button', { name: 'Actions of unchecked' }).click()
  await page.getByRole('menuitem', { name: 'Send a test' }).click()
  const testing = page.getByRole('dialog', { name: 'Send a test' })
  await testing.getByRole('button', { name: 'Send a test' }).click()
  await testing.getByRole('link', { name: /^exe_/ }).click()
  await expect(page.getByText('Hello, Ada!').first()).toBeVisible()
})

test('nobody has to wait for a secret longer than half a minute', async ({ page, hosted, project }) => {
  await page.clock.install()
  await signIn(page, hosted)
  await page.goto(project.at('workspace'))
  await page.getByRole('button', { name: 'Create token' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('textbox', { name: 'Name' }).fill(`silent ${Date.now()}`)
  const { promise: never, resolve: end } = Promise.withResolvers<void>()
  await page.route('**/tokens', async (route) => {
    if (route.request().method() !== 'POST') return route.fallback()
    await never
    await route.abort()
  })
  const create = dialog.getByRole('button', { name: 'Create token' })
  await create.click()
  await expect(create).toHaveAttribute('aria-busy', 'true')
  await page.keyboard.press('Escape')
  await page.clock.runFor(25_000)
  await page.keyboard.press('Escape')
  await expect(create).toHaveAttribute('aria-busy', 'true')
  await page.clock.runFor(6_000)
  await dialog.getByRole('button', { name: 'Close' }).last().click()
  await expect(dialog).toBeHidden()
  await page.getByRole('link', { name: 'Triggers' }).click()
  await expect(page.getByRole('heading', { name: 'No Triggers yet' })).toBeVisible()
  await page.unrouteAll({ behavior: 'ignoreErrors' })
  end()
})
