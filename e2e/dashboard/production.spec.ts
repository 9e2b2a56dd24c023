// A hosted connection that is marked as production: whatever cannot be undone asks for its name, with counts.

import type { Page } from '@playwright/test'
import { badge, dialog, newName, test } from './connections.test-support.ts'
import { axe, expect } from './fixtures.ts'
import { artifact } from './hosted-fixtures.ts'
import { takeNarrowScreenshots } from './screenshots.test-support.ts'
import { untilStatus } from './until-status.test-support.ts'

/** Confirms with the name of the connection; anything else leaves the button off. */
const confirmByName = async (page: Page, title: string, action: string, name: string): Promise<void> => {
  const asked = dialog(page, title)
  await expect(asked).toContainText(`This is production: ${name}, workspace default.`)
  const act = asked.getByRole('button', { name: action })
  const field = asked.getByLabel(`Type “${name}” to confirm`)
  await expect(field).toBeFocused()
  for (const wrong of ['', name.toUpperCase(), `${name}.`]) {
    await field.fill(wrong)
    await expect(act).toHaveAttribute('aria-disabled', 'true')
    await act.click({ force: true })
    await page.keyboard.press('ControlOrMeta+Enter')
    await expect(asked).toBeVisible()
  }
  await takeNarrowScreenshots(page, `production-${action.replaceAll(/\W+/g, '-').toLowerCase()}`)
  await axe(page)
  await field.fill(`${name} `)
  await act.click()
}

test('on production, each cancel, delete, deployment and early end of a wait asks for the name of the connection', async ({
  linked: page,
  saved,
  hosted,
  project,
}) => {
  const { client } = project
  await client.deployProgram(artifact('approval'))
  const start = async () => (await client.start('approval', { requester: 'Ada', cents: 1 })).id
  const first = await start()
  const startPause = async (kind: 'event' | 'timer'): Promise<string> => {
    await client.deployProgram({
      format: 'wes.program/1',
      id: 'pause',
      program: {
        code: `({ run: async (ctx, input) => {
          if (input === 'timer') return ctx.sleep('1 hour')
          try { await ctx.waitForEvent('never', { timeout: '1 hour' }) } catch (error) { return error.name }
        } })`,
      },
    })
    const { id } = await client.start('pause', kind)
    await untilStatus(client, id, 'waiting')
    return id
  }
  const name = newName('Prod')
  const id = await saved({ name, address: hosted.url, token: hosted.token })
  const screen = (path: string) => `${new URL(page.url()).origin}/c/${id}/p/${project.id}/${path}`
  const deploy = async (file: string): Promise<void> => {
    const chooser = page.waitForEvent('filechooser')
    await page.getByRole('button', { name: 'Deploy files' }).click()
    const buffer = Buffer.from(JSON.stringify({ ...artifact('hello'), id: file }))
    await (await chooser).setFiles([{ name: `${file}.program.json`, mimeType: 'application/json', buffer }])
  }
  const programs = async () => (await client.listPrograms()).items.map((program) => program.id).toSorted()

  await test.step('before it is production, a deployment asks without the name', async () => {
    await page.goto(screen('programs'))
    await expect(badge(page)).toHaveText('Hosted · default')
    await deploy('before')
    const asked = dialog(page, `Deploy 1 file to ${name}?`)
    await expect(asked).toContainText(`This is ${name}, workspace default.`)
    await expect(asked.getByRole('textbox')).toHaveCount(0)
    await asked.getByRole('button', { name: 'Deploy 1 file' }).click()
    await expect(dialog(page, 'Deploy Programs')).toContainText('before is deployed as version 1')
    await page.keyboard.press('Escape')
  })
  await test.step('its settings make it production, which shows at once', async () => {
    await expect(page.locator('[data-production-edge]')).toHaveCount(0)
    await page.getByRole('link', { name: 'Settings' }).click()
    await page.getByRole('button', { name: `Edit ${name}` }).click()
    await dialog(page, 'Edit connection').getByRole('switch', { name: 'Production' }).click()
    await dialog(page, 'Edit connection').getByRole('button', { name: 'Save' }).click()
    await expect(page.locator('[data-production-edge]')).toBeVisible()
    await expect(page.getByText('Production', { exact: true }).first()).toBeVisible()
  })
  await test.step('a deployment', async () => {
    await page.getByRole('link', { name: 'Programs' }).click()
    await deploy('unwanted')
    await dialog(page, `Deploy 1 file to ${name}?`).getByRole('button', { name: 'Go back' }).click()
    await deploy('after')
    await confirmByName(page, `Deploy 1 file to ${name}?`, 'Deploy 1 file', name)
    await expect(dialog(page, 'Deploy Programs')).toContainText('after is deployed as version 1')
    await page.keyboard.press('Escape')
    expect(await programs()).toEqual(['after', 'approval', 'before'])
  })
  await test.step('one Execution', async () => {
    await page.goto(screen(`executions/${first}`))
    await expect(badge(page)).toHaveText('Hosted · default')
    await page.getByRole('main').getByRole('button', { name: 'Cancel execution' }).click()
    await confirmByName(page, 'Cancel execution', 'Cancel execution', name)
    await expect.poll(async () => (await client.getExecution(first)).status).toBe('cancelled')
  })
  await test.step('the end of a wait or a timer before its time', async () => {
    for (const [id, kind, title, action] of [
      [await startPause('event'), 'event', 'Time out the wait now?', 'Time out now'],
      [await startPause('timer'), 'timer', 'Fire the timer now?', 'Fire now'],
    ] as const) {
      await page.goto(screen(`executions/${id}`))
      await expect(badge(page)).toHaveText('Hosted · default')
      await page.getByRole('main').getByRole('button', { name: action }).click()
      await dialog(page, title).getByRole('button', { name: 'Go back' }).click()
      expect((await client.getExecution(id)).waitingFor, 'nothing happens before the answer').toMatchObject([{ kind }])
      await page.getByRole('main').getByRole('button', { name: action }).click()
      await confirmByName(page, title, action, name)
      await expect.poll(async () => (await client.getExecution(id)).status).toBe('completed')
    }
  })
  await test.step('many Executions, with their number', async () => {
    const [second, third] = [await start(), await start()]
    await page.goto(screen('executions'))
    await expect(badge(page)).toHaveText('Hosted · default')
    const bar = page.getByRole('region', { name: 'Selection' })
    const progress = page.getByRole('region', { name: 'Bulk action' })
    await page.getByRole('checkbox', { name: `Select ${second}` }).check()
    await page.getByRole('checkbox', { name: `Select ${third}` }).check()
    await bar.getByRole('button', { name: 'Cancel executions' }).click()
    await confirmByName(page, 'Cancel 2 Executions?', 'Cancel 2 Executions', name)
    await expect(progress).toContainText('Cancelled 2 of 2')
    await page.getByRole('button', { name: 'Dismiss' }).click()
    await page.getByRole('checkbox', { name: 'Select all that match' }).check()
    await bar.getByRole('button', { name: 'Delete' }).click()
    await confirmByName(page, 'Delete 5 Executions?', 'Delete 5 Executions', name)
    await expect(progress).toContainText('Deleted 5 of 5')
    expect((await client.listExecutions()).items).toEqual([])
  })
})
