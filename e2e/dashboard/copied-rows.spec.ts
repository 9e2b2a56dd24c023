// Rows of grids are copied as a spreadsheet reads them.

import type { Page } from '@playwright/test'
import { echo } from './dialogs.test-support.ts'
import { expect, test } from './fixtures.ts'
import { untilStatus } from './until-status.test-support.ts'

/** Selects from the first text that the grid shows up to the last one, and copies it. */
const copyRows = async (page: Page, label: string): Promise<string[][]> => {
  await page.getByRole('grid', { name: label }).evaluate((grid) => {
    const rows = grid.querySelectorAll('[role="row"][data-index]')
    getSelection()?.setBaseAndExtent(rows[0]!, 0, rows[rows.length - 1]!, rows[rows.length - 1]!.childNodes.length)
  })
  await page.keyboard.press('ControlOrMeta+C')
  const copied = await page.evaluate(() => navigator.clipboard.readText())
  return copied.split('\n').map((line) => line.split('\t'))
}

test('rows of Executions and of a history are copied with a tab between their values', async ({
  freshRuntime: { client, url },
  context,
  page,
}) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write'])
  await client.deployProgram(echo('copied-rows'))
  const older = await client.start('copied-rows', { n: 1 })
  const newer = await client.start('copied-rows', { n: 2 })
  for (const { id } of [older, newer]) await untilStatus(client, id, 'completed')
  const { startedAt } = await client.getExecution(newer.id)

  await page.goto(`${url}/executions`)
  await expect(page.getByRole('row', { name: older.id })).toContainText('completed')
  const rows = await copyRows(page, 'Executions')
  expect(rows.map((row) => row[1])).toEqual([newer.id, older.id])
  expect(rows[0]).toEqual(expect.arrayContaining(['completed', 'copied-rows', 'n: 2', startedAt]))

  await page.goto(`${url}/executions/${newer.id}?tab=history`)
  await expect(page.getByRole('grid', { name: 'History' })).toContainText('execution_completed')
  const history = await copyRows(page, 'History')
  expect(history.map(([position, , type]) => [position, type])).toEqual([
    ['1', 'execution_started'],
    ['2', 'execution_completed'],
  ])

  // As a triple click selects: up to the beginning of the next row.
  await page.getByRole('grid', { name: 'History' }).evaluate((grid) => {
    const [first, next] = grid.querySelectorAll('[role="row"][data-index]')
    getSelection()?.setBaseAndExtent(first!.lastElementChild!.previousElementSibling!, 0, next!, 0)
  })
  await page.keyboard.press('ControlOrMeta+C')
  const one = await page.evaluate(() => navigator.clipboard.readText())
  expect(one).toMatch(/^execution_started/)
  expect(one).not.toContain('\t')
})
