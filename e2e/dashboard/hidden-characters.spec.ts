// Names and values with characters that cannot be seen, or that turn the text around them.

import type { Locator, Page } from '@playwright/test'
import { looksGood } from './dialogs.test-support.ts'
import { expect, test } from './executions-list.test-support.ts'
import { untilStatus } from './until-status.test-support.ts'

const TURNED = 'user\u202e\u2066nimda'
const ORDINARY = 'שלום مرحبا می\u200cخواهم'

/** The text as it is drawn: the style sheet draws the escapes. */
const drawn = (locator: Locator): Promise<string> =>
  locator.evaluate((element) => {
    const copy = element.cloneNode(true) as Element
    for (const hidden of copy.querySelectorAll<HTMLElement>('[data-escape]'))
      hidden.textContent = hidden.dataset['escape']!
    return copy.textContent
  })

const shows = (locator: Locator, text: string) => expect.poll(() => drawn(locator)).toContain(text)

const copied = (page: Page): Promise<string> => page.evaluate(() => navigator.clipboard.readText())

const PROGRAM = {
  format: 'wes.program/1',
  id: 'hidden-characters',
  program: {
    code: `({ run: async (ctx, input) => {
      ctx.log.info('paid by ' + input.who)
      if (input.fail) throw new RangeError('unknown ' + input.who)
      return { got: await ctx.waitForEvent(input.who) }
    } })`,
  },
} as const

test.beforeEach(async ({ context, project }) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write'])
  await project.client.deployProgram(PROGRAM)
})

test('values show them as escapes, and are copied as they are', async ({ project, page }) => {
  const { id } = await project.client.start('hidden-characters', { [TURNED]: 1, who: TURNED, plain: ORDINARY })
  await untilStatus(project.client, id, 'waiting')
  await page.goto(`/executions/${id}`)
  await shows(page.getByRole('region', { name: 'Input and result' }), String.raw`user\u202e\u2066nimda`)
  await page.goto(`/executions/${id}?tab=data`)
  const view = page.getByRole('region', { name: 'Input', exact: true })
  const item = view.getByRole('treeitem').filter({ hasText: 'who' })
  await shows(item, String.raw`"user\u202e\u2066nimda"`)
  await shows(view.getByRole('treeitem').nth(1), String.raw`user\u202e\u2066nimda: 1`)
  const ordinary = view.getByRole('treeitem').filter({ hasText: 'plain' })
  await expect(ordinary).toHaveText(`plain: "${ORDINARY}"`)
  await expect(ordinary.locator('[data-escape]')).toHaveCount(0)
  await item.click()
  await view.getByRole('button', { name: 'Copy value' }).click()
  await expect.poll(() => copied(page)).toBe(TURNED)
  await item.evaluate((element) => getSelection()?.selectAllChildren(element.lastElementChild!))
  await page.keyboard.press('ControlOrMeta+C')
  await expect.poll(() => copied(page)).toBe(`"${TURNED}"`)
  await looksGood(page, 'hidden-characters-data')
  await view.getByRole('button', { name: 'Raw' }).click()
  await expect(view.getByRole('textbox', { name: 'Input, raw' })).toContainText(String.raw`"user\u202e\u2066nimda"`)
  await expect(view.getByRole('textbox', { name: 'Input, raw' })).toContainText(ORDINARY)
  await looksGood(page, 'hidden-characters-raw')
})

test('names, logs, errors, dialogs and toasts show them as escapes', async ({ project, page }) => {
  const { client } = project
  const waiting = await client.start('hidden-characters', { who: TURNED })
  const failed = await client.start('hidden-characters', { who: TURNED, fail: true })
  await untilStatus(client, waiting.id, 'waiting')
  await untilStatus(client, failed.id, 'failed')
  const escaped = String.raw`user\u202e\u2066nimda`
  const main = page.getByRole('main')

  await page.goto('/executions')
  await shows(page.getByRole('row', { name: failed.id }), String.raw`RangeError: unknown ${escaped}`)
  await shows(page.getByRole('row', { name: failed.id }), `who: ${escaped}`)
  await expect(page.getByRole('row', { name: failed.id }).getByTitle(escaped).first()).toBeVisible()
  await looksGood(page, 'hidden-characters-executions')
  // Where the system chooses the colours, a line around it tells it from the same letters in a name.
  await page.emulateMedia({ forcedColors: 'active' })
  const escape = page.locator('[data-escape]').first()
  expect(await escape.evaluate((one) => getComputedStyle(one, '::before').outlineStyle)).toBe('solid')
  await page.emulateMedia({ forcedColors: null })
  await page.goto(`/executions/${failed.id}?tab=logs`)
  await shows(main.getByRole('region', { name: 'Error' }), `: unknown ${escaped}`)
  await shows(page.getByRole('grid', { name: 'Logs' }), `paid by ${escaped}`)
  await looksGood(page, 'hidden-characters-logs')
  await page.goto('/errors')
  await shows(main, `unknown ${escaped}`)
  await expect(main.getByTitle(`unknown ${escaped}`)).toBeVisible()
  await page.goto('/waiting')
  await shows(main, escaped)
  await page.goto(`/executions/${waiting.id}`)
  await shows(main.getByRole('region', { name: 'Waiting for' }), escaped)
  await shows(page.getByRole('rowheader').filter({ hasText: 'nimda' }), escaped)
  await page.getByRole('button', { name: 'Send event', exact: true }).click()
  await shows(page.getByRole('dialog', { name: 'Send event' }), escaped)
  await page.keyboard.press('Escape')

  await page.goto('/projects')
  await page.getByRole('main').getByRole('button', { name: 'New project' }).click()
  await page.getByRole('dialog').getByRole('textbox', { name: 'Name' }).fill(`${TURNED} ${Date.now()}`)
  await page.keyboard.press('Enter')
  await shows(page.getByRole('group').filter({ hasText: 'created' }), `Project ${escaped}`)
  await shows(page.getByRole('button', { name: 'Project:' }), escaped)
  await shows(main, escaped)
  await looksGood(page, 'hidden-characters-projects')
})

test('a line with thousands of them has few elements in an editor, which says how much more there is', async ({
  project,
  page,
}) => {
  const { id } = await project.client.start('hidden-characters', { who: 'a\u200b'.repeat(5_000) })
  await page.goto(`/executions/${id}?tab=data`)
  const view = page.getByRole('region', { name: 'Input', exact: true })
  await view.getByRole('button', { name: 'Raw' }).click()
  const drawn = view.getByRole('textbox', { name: 'Input, raw' }).locator('.cm-hidden-character')
  await expect(drawn.last()).toHaveText(/… and 6,000 more characters$/)
  await expect(drawn).toHaveCount(1_001)
  await expect(drawn.first()).toHaveText(String.raw`\u200b`)
})

test('a diff shows them as escapes, in deleted lines too', async ({ project, page }) => {
  const { client } = project
  const code = (text: string) => ({ ...PROGRAM, program: { code: `({ run: () => '${text}' })` } })
  await client.deployProgram(code(TURNED))
  await client.deployProgram(code(`${TURNED} now`))
  await page.goto('/programs/hidden-characters/versions/3?against=2')
  const shown = page.getByLabel('Code of program.js')
  await expect(shown.locator('.cm-deletedChunk')).toContainText(String.raw`user\u202e\u2066nimda`)
  await expect(shown.locator('.cm-changedLine')).toContainText(String.raw`user\u202e\u2066nimda now`)
  expect(await shown.textContent()).not.toContain('\u202e')
})

test('a form shows them as escapes in what the schema says', async ({ project, page }) => {
  const properties = { who: { type: 'string', description: `Such as ${TURNED}` } }
  await project.client.deployProgram({
    ...PROGRAM,
    id: 'hidden-in-schema',
    manifest: { inputSchema: { type: 'object', properties } },
  })
  await page.goto('/programs/hidden-in-schema?tab=start')
  await expect(page.getByRole('textbox', { name: 'who' })).toBeVisible()
  await shows(page.getByRole('main'), String.raw`Such as user\u202e\u2066nimda`)
})

test('a text field says which it holds, because it cannot show them', async ({ project, page }) => {
  const properties = { who: { type: 'string' } }
  await project.client.deployProgram({
    ...PROGRAM,
    id: 'hidden-in-fields',
    manifest: { inputSchema: { type: 'object', properties } },
  })
  const warning = String.raw`Contains hidden characters: user\u202e\u2066nimda`
  await page.goto('/programs/hidden-in-fields?tab=start')
  const main = page.getByRole('main')
  await page.getByRole('textbox', { name: 'who' }).fill(ORDINARY)
  await expect(main).not.toContainText('Contains hidden characters')
  await page.getByRole('textbox', { name: 'who' }).fill(TURNED)
  await shows(main, warning)
  await looksGood(page, 'hidden-characters-form')
  await page.goto('/programs/hidden-in-fields?tab=executions')
  await page.getByRole('searchbox').fill(TURNED)
  await shows(main, warning)
  const { id } = await project.client.start('hidden-in-fields', { who: 'Ada' })
  for (const [tab, name] of [
    ['history', 'Search the history'],
    ['data', 'Search in Input'],
  ] as const) {
    await page.goto(`/executions/${id}?tab=${tab}`)
    await page.getByRole('textbox', { name }).fill(TURNED)
    await shows(main, warning)
    await looksGood(page, `hidden-characters-search-${tab}`)
  }
  await page.goto('/executions')
  await page.getByRole('button', { name: 'Start execution' }).click()
  await page.getByRole('dialog').getByRole('combobox', { name: 'Program' }).fill(TURNED)
  await shows(page.getByRole('dialog'), warning)
  await page.goto('/projects')
  await page.getByRole('button', { name: 'New project' }).click()
  const dialog = page.getByRole('dialog', { name: 'New project' })
  await dialog.getByRole('button', { name: /^Create project/ }).click()
  await expect(dialog.getByText('Enter a name')).toBeVisible()
  await expect(dialog.getByRole('textbox', { name: 'Name' })).toBeFocused()
  await dialog.getByRole('textbox', { name: 'Name' }).fill(TURNED)
  await shows(dialog, warning)
})
