import { expect, test } from './fixtures.ts'

const program = (id: string) => ({
  format: 'wes.program/1' as const,
  id,
  program: { code: '({ run: async () => 1 })' },
})

test('S starts the Program of the screen, like its button', async ({ deploy, page }) => {
  await deploy(program('shortcut-one'))
  await deploy(program('shortcut-other'))
  const dialog = page.getByRole('dialog', { name: 'Start execution' })
  for (const path of ['/programs/shortcut-other', '/executions?programId=shortcut-other']) {
    await page.goto(path)
    await expect(page.getByRole('button', { name: 'Start execution' })).toBeVisible()
    await page.keyboard.press('s')
    await expect(dialog.getByRole('combobox', { name: 'Program' })).toHaveValue('shortcut-other')
    await page.keyboard.press('Escape')
  }
})

test('the list of shortcuts includes those of the timeline and of values', async ({ page }) => {
  await page.goto('/settings')
  await page.getByRole('button', { name: 'Show shortcuts' }).click()
  const dialog = page.getByRole('dialog', { name: 'Shortcuts' })
  for (const does of ['Zoom to the selection', 'Format the JSON', 'Next change between two versions']) {
    await expect(dialog).toContainText(does)
  }
  await expect(dialog.getByRole('region', { name: 'In a dialog' })).toContainText('Submit the dialog')
})

test('the palette has a button', async ({ page }) => {
  await page.goto('/waiting')
  await page.getByRole('button', { name: 'Find anything' }).click()
  await expect(page.getByRole('dialog', { name: 'Command palette' })).toBeVisible()
  await page.keyboard.type('metrics')
  await page.keyboard.press('Enter')
  await expect(page).toHaveURL(/\/metrics$/)
})

test('shortcuts work while a checkbox has the focus, and after a list was open, but not while a list or a dialog is', async ({
  deploy,
  client,
  page,
}) => {
  await deploy(program('shortcut-boxes'))
  await client.start('shortcut-boxes')
  await client.start('shortcut-boxes')
  await page.goto('/executions?programId=shortcut-boxes')
  const boxes = page.getByRole('checkbox', { name: /^Select exe_/ })
  await boxes.first().focus()
  await page.keyboard.press('j')
  await expect(page.getByRole('row').nth(2).getByRole('link')).toBeFocused()
  await page.getByRole('combobox', { name: 'Started' }).focus()
  await page.keyboard.press('Enter')
  await expect(page.getByRole('option', { name: 'Last hour' })).toBeVisible()
  await page.keyboard.press('k')
  await page.keyboard.press('Escape')
  await expect(page.getByRole('option')).toHaveCount(0)
  await page.keyboard.press('x')
  await expect(boxes.nth(1)).toBeChecked()
  await boxes.first().focus()
  await page.keyboard.press('?')
  await expect(page.getByRole('dialog', { name: 'Shortcuts' })).toBeVisible()
  await page.keyboard.press('g')
  await page.keyboard.press('m')
  await expect(page).toHaveURL(/\/executions\?/)
})
