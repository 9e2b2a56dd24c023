// A value on the Data tab: keyboard navigation, search and copy, exact numbers, and large values.

import type { Page } from '@playwright/test'
import { expect, test } from './fixtures.ts'
import { echo, looksGood } from './dialogs.test-support.ts'
import { untilStatus } from './until-status.test-support.ts'

const openInput = async (page: Page, id: string) => {
  await page.goto(`/executions/${id}?tab=data`)
  const tree = page.getByRole('tree', { name: 'Input' })
  await expect(tree).toBeVisible()
  return { tree, view: page.getByRole('region', { name: 'Input' }) }
}

/** The focused row. */
const active = (page: Page) =>
  page.getByRole('tree', { name: 'Input' }).evaluate((tree) => {
    const id = tree.getAttribute('aria-activedescendant')
    return id === null ? null : document.getElementById(id)?.textContent
  })

test('the tree has the usual keys, and its parts can be copied', async ({ deploy, client, page, context }) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write'])
  await deploy(echo('json-keys'))
  const { id } = await client.start('json-keys', { order: { lines: [{ sku: 'a b' }, 7] }, 'strange name': null })
  const { tree, view } = await openInput(page, id)
  await tree.focus()
  for (const key of ['ArrowDown', 'ArrowDown', 'ArrowRight', 'ArrowRight', 'ArrowRight', 'ArrowRight']) {
    await page.keyboard.press(key)
  }
  await expect.poll(() => active(page)).toBe('sku: "a b"')
  await expect(view.getByText('$.order.lines[0].sku')).toBeVisible()
  await page.keyboard.press('Control+c')
  await expect.poll(() => page.evaluate(() => navigator.clipboard.readText())).toBe('a b')
  await view.getByRole('button', { name: 'Copy path' }).click()
  await expect.poll(() => page.evaluate(() => navigator.clipboard.readText())).toBe('$.order.lines[0].sku')
  await tree.focus()
  await page.keyboard.press('ArrowLeft')
  await page.keyboard.press('ArrowLeft')
  await expect.poll(() => active(page)).toContain('0: { 1 member }')
  await page.keyboard.press('End')
  await expect(view.getByText('$["strange name"]')).toBeVisible()
  await looksGood(page)
})

test('a search moves from match to match, in the tree and in the text', async ({ deploy, client, page }) => {
  await deploy(echo('json-search'))
  const items = Array.from({ length: 300 }, (_, index) => ({ name: index % 100 === 42 ? 'Needle' : 'hay', index }))
  const { id } = await client.start('json-search', { items })
  const { view } = await openInput(page, id)
  const search = view.getByLabel('Search in Input')
  await search.fill('needle')
  await expect(view.getByText('1/3')).toBeVisible()
  await expect.poll(() => active(page)).toBe('name: "Needle"')
  await expect(view.getByText('$.items[42].name')).toBeVisible()
  await search.press('Enter')
  await search.press('Enter')
  await expect(view.getByText('$.items[242].name')).toBeVisible()
  await search.press('Shift+Enter')
  await expect(view.getByText('$.items[142].name')).toBeVisible()
  await view.getByRole('button', { name: 'Raw' }).click()
  await expect(view.getByRole('textbox', { name: 'Input, raw' })).toContainText('"Needle"')
  await expect(view.getByText('2/3')).toBeVisible()
  await search.press('Escape')
  await expect(search).toHaveValue('')
})

test('a value of a megabyte does not block the page', async ({ deploy, client, page }) => {
  await deploy(echo('json-large'))
  const { id } = await client.start(
    'json-large',
    Array.from({ length: 480_000 }, (_, index) => index % 10),
  )
  await untilStatus(client, id, 'completed')
  await page.addInitScript(() => {
    const tasks: number[] = []
    Object.assign(window, { longTasks: tasks })
    new PerformanceObserver((list) => tasks.push(...list.getEntries().map((entry) => entry.duration))).observe({
      type: 'longtask',
    })
  })
  // Each time on a new page, which has searched nothing yet.
  const longestTask = async () => {
    const { tree, view } = await openInput(page, id)
    await expect(tree.getByRole('treeitem', { name: /\[0 … 9999\]/ })).toBeVisible()
    await page.evaluate(() => void ((window as unknown as { longTasks: number[] }).longTasks.length = 0))
    await tree.focus()
    await page.keyboard.press('End')
    await page.keyboard.press('ArrowRight')
    await page.keyboard.press('End')
    await view.getByLabel('Search in Input').fill('nowhere')
    await expect(view.getByText('0/0')).toBeVisible()
    return page.evaluate(() => Math.max(0, ...(window as unknown as { longTasks: number[] }).longTasks))
  }
  // A generous limit, and further tries: a busy machine may stop the page in any task.
  await expect.poll(longestTask).toBeLessThan(500)
})
