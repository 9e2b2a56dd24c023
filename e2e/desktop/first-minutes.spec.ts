import { CUT_OFF, expect, test } from './launch.ts'
import { typeOverAll } from '../dashboard/dialogs.test-support.ts'
import { clickMenu } from './platform.ts'

test('a new user opens the sample, starts an Execution, answers it, and sees its result', async ({
  allow,
  electronApp,
  home,
  isInstalled,
  page,
}) => {
  allow(CUT_OFF)
  const runtime = page.getByRole('status', { name: 'Runtime', exact: true })
  await expect(runtime).toHaveText('Runtime ready')
  const first = page.getByRole('region', { name: 'No Programs yet' })
  await expect(first).toContainText('or open the sample project')
  // Who installed the app has no command line.
  await expect(first).not.toContainText(/\bwes (?:deploy|new)/)
  await first.getByRole('button', { name: 'Open the sample project' }).click()
  await expect
    .poll(() =>
      home.client.listPrograms().then(
        ({ items }) => items.map(({ id }) => id),
        () => [],
      ),
    )
    .toContain('order-approval')
  const { current } = await page.evaluate(() => wesDesktop.projectFolders.get())
  expect(current).toMatch(isInstalled ? /home.Documents.wes-sample-project$/ : /examples.project$/)
  await expect(runtime).toHaveText('Runtime ready')

  const none = page.getByRole('region', { name: 'No Executions yet' })
  await expect(none).toContainText(process.platform === 'win32' ? 'Invoke-RestMethod' : 'curl')
  await expect(none).not.toContainText(/\bwes start/)
  await clickMenu(electronApp, 'go-programs')
  await page.getByRole('main').getByRole('link', { name: 'order-approval' }).click()
  await clickMenu(electronApp, 'start-execution')
  const start = page.getByRole('dialog', { name: 'Start execution' })
  const program = start.getByRole('combobox', { name: 'Program' })
  await expect(program).toBeVisible()
  if ((await program.inputValue()) !== 'order-approval') {
    await program.fill('order-approval')
    await page.getByRole('option', { name: 'order-approval' }).click()
  }
  // What the schema begins with comes a moment later, and would keep what is typed beside it.
  await expect(start.getByLabel('Input')).toHaveText('{}')
  await typeOverAll(page, start.getByLabel('Input'), '{"orderId":"o-4711","cents":1250}')
  await start.getByRole('button', { name: 'Start execution' }).click()
  await expect(page).toHaveURL(/\/executions\/exe_/)

  await page.getByRole('main').getByRole('button', { name: 'Send event' }).first().click()
  const send = page.getByRole('dialog', { name: 'Send event' })
  await typeOverAll(page, send.getByLabel('Payload'), '{"by":"Ada"}')
  await send.getByRole('button', { name: 'Send event' }).click()
  const [execution] = (await home.client.listExecutions()).items
  await expect
    .poll(() => home.client.getResult(execution!.id))
    .toMatchObject({ status: 'completed', result: { status: 'charged', by: 'Ada' } })
  await page.getByRole('tab', { name: 'Data' }).click()
  await expect(page.getByRole('main')).toContainText('charged')
})
