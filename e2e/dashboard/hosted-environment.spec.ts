// The Environment screen on a narrow page, and how its dialogs name the place.

import { expect } from './fixtures.ts'
import { setBeforeAnswer, signIn, test } from './hosted-fixtures.ts'
import { takeNarrowScreenshots } from './screenshots.test-support.ts'

test('the environment fits into a narrow page', async ({ page, hosted, project }) => {
  const names = ['API_KEY', 'DATABASE_URL', 'PAYMENT_PROVIDER_WEBHOOK_SIGNING_SECRET_OF_THE_SUBSIDIARY_IN_EUROPE']
  const set = Object.fromEntries(names.map((name) => [name, 'x']))
  const { items } = await project.client.changeEnvironment(project.id, { set })
  await signIn(page, hosted)
  // The longest times that a list shows.
  const at = new Date(Date.now() - 59 * 60_000).toISOString()
  const json = { items: items.map((item) => ({ ...item, createdAt: at, updatedAt: at })), nextCursor: null }
  await page.route('**/v1/projects/*/environment', (route) => route.fulfill({ json }))
  await page.setViewportSize({ width: 420, height: 800 })
  await page.goto(project.at('environment'))
  const table = page.getByRole('table', { name: 'Environment' })
  await expect(table.getByRole('row')).toHaveCount(names.length + 1)
  await expect(table.getByText('59 min ago').filter({ visible: true })).toHaveCount(names.length)
  const overflow = await table.locator('..').evaluate((element) => element.scrollWidth - element.clientWidth)
  expect(overflow).toBe(0)
  await takeNarrowScreenshots(page, 'environment-narrow')
  await table.getByRole('button', { name: /^Remove PAYMENT/ }).click()
  const dialog = page.getByRole('dialog')
  for (const text of [dialog.getByRole('heading'), dialog.getByText(/^Effects that start/)]) {
    await expect(text).toContainText('_EUROPE')
    expect(await text.evaluate((element) => element.scrollWidth - element.clientWidth), 'what is cut off').toBe(0)
  }
})

test('dialogs of the environment name the project and the workspace', async ({ page, hosted, admin, project }) => {
  const { name: workspace } = (await admin.whoAmI()).workspace
  await signIn(page, hosted)
  await page.goto(project.at('environment'))
  const dialog = page.getByRole('dialog')
  for (const [button, said] of [
    [
      'Add variable',
      `For effects of the project ${project.name} in the workspace ${workspace} that start at least 5 seconds later.`,
    ],
    ['Paste .env', `Sets several variables at once for the project ${project.name} in the workspace ${workspace}.`],
  ] as const) {
    await page.getByRole('button', { name: button }).click()
    await expect(dialog).toContainText(said)
    await page.keyboard.press('Escape')
    await expect(dialog).toBeHidden()
  }
})

test('a value that is set after its dialog was closed leaves the next dialog open', async ({
  page,
  hosted,
  project,
}) => {
  const answer = Promise.withResolvers<void>()
  await signIn(page, hosted)
  await page.route('**/v1/projects/*/environment', async (route) => {
    if (route.request().method() !== 'GET') await answer.promise
    await route.continue()
  })
  await page.goto(project.at('environment'))
  await setBeforeAnswer(page, 'API_KEY')

  await page.getByRole('button', { name: 'Paste .env' }).click()
  const text = page.getByRole('dialog', { name: 'Paste .env' }).getByLabel('File contents')
  await text.fill('OTHER=y')
  answer.resolve()
  await expect(page.getByText('API_KEY set')).toBeVisible()
  await expect(text).toHaveValue('OTHER=y')
})

test('Control Enter goes through both steps of Paste .env', async ({ page, hosted, project }) => {
  await signIn(page, hosted)
  await page.goto(project.at('environment'))
  await page.getByRole('button', { name: 'Paste .env' }).click()
  const dialog = page.getByRole('dialog', { name: 'Paste .env' })
  await dialog.getByLabel('File contents').fill('# nothing')
  await page.keyboard.press('ControlOrMeta+Enter')
  await expect(dialog.getByRole('button', { name: 'Set 0 variables' })).toBeVisible()
  await page.keyboard.press('ControlOrMeta+Enter')
  await expect(dialog).toBeVisible()
  await dialog.getByRole('button', { name: 'Back' }).click()
  await dialog.getByLabel('File contents').fill('FIRST=1\nSECOND=2')
  await page.keyboard.press('ControlOrMeta+Enter')
  await expect(dialog.getByRole('table', { name: 'Variables' })).toContainText('SECOND')
  await page.keyboard.press('ControlOrMeta+Enter')
  await expect(dialog).toHaveCount(0)
  await expect(page.getByText('2 variables set')).toBeVisible()

  await test.step('a question is answered by another press only, not by keys that are held down', async () => {
    await page.getByRole('button', { name: 'Paste .env' }).click()
    await dialog.getByLabel('File contents').fill('FIRST=2')
    await page.keyboard.press('ControlOrMeta+Enter')
    await expect(dialog.getByRole('table', { name: 'Variables' })).toContainText('FIRST')
    const question = page.getByRole('dialog', { name: 'Replace' })
    await page.keyboard.down('ControlOrMeta')
    await page.keyboard.down('Enter')
    await expect(question.getByRole('button', { name: 'Go back' })).toBeFocused()
    await page.keyboard.down('Enter')
    await page.keyboard.up('Enter')
    await expect(question).toBeVisible()
    await page.keyboard.press('Enter')
    await page.keyboard.up('ControlOrMeta')
    await expect(dialog).toHaveCount(0)
  })
})

test('after a variable is removed, the focus is on the one that took its place', async ({ page, hosted, project }) => {
  await project.client.changeEnvironment(project.id, { set: { FIRST: 'x', SECOND: 'x', THIRD: 'x' } })
  await signIn(page, hosted)
  await page.goto(project.at('environment'))
  const remove = async (name: string): Promise<void> => {
    await page.getByRole('button', { name: `Remove ${name}` }).focus()
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'Remove variable' }).click()
    await expect(page.getByText(`${name} removed`)).toBeVisible()
  }
  await remove('SECOND')
  await expect(page.getByRole('button', { name: 'Remove THIRD' })).toBeFocused()
  await remove('THIRD')
  await expect(page.getByRole('button', { name: 'Remove FIRST' })).toBeFocused()
  await remove('FIRST')
  await expect(page.getByRole('main')).toBeFocused()
})
