// As many Triggers as a project may have, on a real hosted service.

import { axe, expect } from './fixtures.ts'
import { artifact, signIn, test } from './hosted-fixtures.ts'
import { takeNarrowScreenshots } from './screenshots.test-support.ts'

const MANY = 1_000
const nameOf = (index: number): string => `trigger ${String(index).padStart(4, '0')}`

/** The second Trigger fires each second, and fails: its Program needs an input. */
const cronOf = (index: number): string => (index === 1 ? '* * * * * *' : `${index % 60} 3 1 1 *`)

test('1,000 Triggers are one list, of which only rows in view are in the document', async ({
  page,
  hosted,
  project,
}) => {
  await project.client.deployProgram(artifact('hello'))
  const triggers = Array.from({ length: MANY }, (_, index) => {
    const common = { programId: 'hello', name: nameOf(index), enabled: index % 3 > 0 }
    return index % 2 === 0
      ? ({ ...common, type: 'webhook' } as const)
      : ({ ...common, type: 'schedule', cron: cronOf(index), timezone: 'Europe/Berlin' } as const)
  })
  await project.client.replaceTriggers(project.id, triggers)
  await signIn(page, hosted)
  await page.goto(project.at('triggers'))
  const table = page.getByRole('table', { name: 'Triggers' })
  const link = (index: number) => table.getByRole('link', { name: nameOf(index) })
  await expect(link(0)).toBeVisible()
  await expect(page.getByText('1,000 Triggers')).toBeVisible()
  await expect(table).toHaveAttribute('aria-rowcount', '1001')
  const rows = table.getByRole('row')
  expect(await rows.evaluateAll((all) => all.map((row) => row.getAttribute('aria-rowindex')).slice(0, 3))).toEqual([
    '1',
    '2',
    '3',
  ])
  expect(await rows.count()).toBeLessThan(50)
  await expect(table.getByRole('button', { name: /Last error: input must/ })).toBeVisible()
  await axe(page)
  await takeNarrowScreenshots(page, 'triggers-many')

  // The keys walk through rows that are not rendered yet, and the row with the focus stays.
  await page.keyboard.press('j')
  await expect(link(0)).toBeFocused()
  for (let step = 0; step < 40; step += 1) await page.keyboard.press('j')
  await expect(link(40)).toBeFocused()
  await expect(link(40)).toBeInViewport()
  const scroller = table.locator('..')
  await scroller.evaluate((element) => element.scrollTo({ top: element.scrollHeight }))
  await expect(link(MANY - 1)).toBeInViewport()
  expect(await rows.count()).toBeLessThan(50)
  await expect(link(40)).toBeFocused()
  await page.keyboard.press('k')
  await expect(link(39)).toBeFocused()
  await expect(link(39)).toBeInViewport()

  await scroller.evaluate((element) => element.scrollTo({ top: element.scrollHeight }))
  await table.getByRole('switch', { name: `${nameOf(MANY - 1)} is enabled` }).click()
  await expect(table.getByRole('switch', { name: `${nameOf(MANY - 1)} is enabled` })).toBeChecked()
  const { items } = await project.client.listTriggers(project.id)
  expect([items.length, items.at(-1)!.enabled]).toEqual([MANY, true])

  // The list is where it was when the user comes back from a Trigger.
  await link(MANY - 1).click()
  await expect(page.getByRole('heading', { name: nameOf(MANY - 1) })).toBeVisible()
  await page.goBack()
  await expect(link(MANY - 1)).toBeInViewport()
})
