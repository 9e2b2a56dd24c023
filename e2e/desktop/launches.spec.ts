// Only one instance runs. A start may open links and files.

import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { typeOverAll } from '../dashboard/dialogs.test-support.ts'
import { expect, test } from './launch.ts'
import { APPROVAL, HELLO } from './programs.ts'

test('a second instance shows the first one’s window, and ends', async ({ electronApp, page, startAgain }) => {
  await expect(page.getByRole('main')).toBeVisible()
  const window = await electronApp.browserWindow(page)
  await window.evaluate((one) => one.minimize())
  expect(await window.evaluate((one) => one.isMinimized())).toBe(true)
  expect(await startAgain()).toBe(0)
  await expect.poll(() => window.evaluate((one) => !one.isMinimized() && one.isVisible() && one.isFocused())).toBe(true)
  expect(electronApp.windows()).toHaveLength(1)
})

test('an app that cannot write to its folder, or the one for temporary files, says so', async ({
  engine,
  home,
  startAgain,
}) => {
  test.skip(engine !== 'stand-in', 'nobody would close its dialog')
  rmSync(home.userData, { recursive: true })
  writeFileSync(home.userData, 'a file')
  expect(await startAgain()).toBe(1)
  rmSync(home.userData)
  Object.assign(home.env, { TMPDIR: join(home.folder, 'none') })
  expect(await startAgain()).toBe(1)
})

test('a link opens its Execution in the running app, and a hostile link opens nothing', async ({
  electronApp,
  home,
  page,
  startAgain,
}) => {
  await expect.poll(() => page.url()).toContain('/executions')
  await home.client.deployProgram(HELLO)
  const { id } = await home.client.start('hello', { name: 'Ada' })
  expect(await startAgain(`wes://executions/${id}`)).toBe(0)
  await expect(page).toHaveURL(new RegExp(`/executions/${id}`))
  await expect(page.getByRole('main')).toContainText('hello')
  for (const link of [
    'wes://executions/exe_1/../../settings',
    'wes://settings',
    'wes://executions/javascript:alert(1)',
  ]) {
    expect(await startAgain(link)).toBe(0)
    const told = page.getByRole('region', { name: 'Notifications' }).getByText('The link could not be opened')
    await expect(told).toBeVisible()
    await page.getByLabel('Dismiss').click()
    await expect(told).toHaveCount(0)
  }
  // The system may also pass a link in this way.
  await electronApp.evaluate(({ app }) => app.emit('open-url', { preventDefault() {} }, 'wes://programs/x'))
  await expect(page).toHaveURL(new RegExp(`/executions/${id}`))
})

test('a link may start the app', async ({ home, launch }) => {
  const first = await launch()
  await first.page()
  await expect
    .poll(() =>
      home.client.listPrograms().then(
        () => true,
        () => false,
      ),
    )
    .toBe(true)
  await home.client.deployProgram(HELLO)
  const { id } = await home.client.start('hello', { name: 'Ada' })
  await first.quit()
  const page = await (await launch({ args: [`wes://executions/${id}`] })).page()
  await expect(page).toHaveURL(new RegExp(`/executions/${id}`))
})

test('a run file offers a start, and starts nothing', async ({ electronApp, home, page, startAgain }) => {
  await home.client.deployProgram(APPROVAL)
  await page.reload()
  const file = join(home.folder, 'again.wes-run.json')
  writeFileSync(file, JSON.stringify({ programId: 'approval', input: { order: 7 } }))
  expect(await startAgain(file)).toBe(0)
  const dialog = page.getByRole('dialog', { name: 'Start execution' })
  await expect(dialog).toBeVisible()
  await expect(dialog.getByRole('combobox', { name: 'Program' })).toHaveValue('approval')
  expect((await home.client.listExecutions()).items).toEqual([])
  expect(electronApp.windows()).toHaveLength(1)
  // Another file replaces it, although it is for the same Program.
  const other = join(home.folder, 'other.wes-run.json')
  writeFileSync(other, '{"programId":"approval","input":{"order":12345678901234567890}}')
  expect(await startAgain(other)).toBe(0)
  await expect(dialog.getByLabel('Input')).toContainText('"order": 12345678901234567890')
  // What the user has typed stays.
  await typeOverAll(page, dialog.getByLabel('Input'), '{"order":9}')
  expect(await startAgain(file)).toBe(0)
  await expect(page.getByText('Close it, then open the file for approval again.')).toBeVisible()
  await expect(dialog.getByLabel('Input')).toHaveText('{"order":9}')
  await dialog.getByRole('button', { name: 'Start execution' }).click()
  await expect(page).toHaveURL(/\/executions\/exe_/)
  const [started] = (await home.client.listExecutions()).items
  expect((await home.client.getExecution(started!.id)).input).toEqual({ order: 9 })
})

test('a run file of an unknown Program says so, and can be started with another one', async ({
  home,
  page,
  startAgain,
  allow,
}) => {
  allow(/status of 404 .*\/programs\/elsewhere\/versions/)
  await home.client.deployProgram(HELLO)
  await page.reload()
  const file = join(home.folder, 'elsewhere.wes-run.json')
  writeFileSync(file, JSON.stringify({ programId: 'elsewhere', input: { name: 'Ada' } }))
  expect(await startAgain(file)).toBe(0)
  const dialog = page.getByRole('dialog', { name: 'Start execution' })
  await expect(dialog).toContainText('This project has no Program elsewhere.')
  await expect(dialog.getByRole('button', { name: 'Start execution' })).toHaveAccessibleDescription(
    'There is no Program elsewhere in this project',
  )
  await dialog.getByRole('combobox', { name: 'Program' }).fill('hello')
  await page.keyboard.press('Enter')
  await expect(dialog.getByRole('button', { name: 'Start execution' })).toBeEnabled()
  await expect(dialog.getByLabel('Input')).toHaveText('{  "name": "Ada"}')
})
