// A URL names its connection and project, so that it shows the same to everybody.

import { axe, takeScreenshots, expect, grid, shownIds, test } from './executions-list.test-support.ts'

test('a URL names its project, and shows it whatever project was shown before', async ({ runtime, project, page }) => {
  const id = await project.start({ say: 'x' })
  const other = await runtime.client.createProject({ name: `addressed ${project.name}` })
  await page.goto(`/p/${other.id}/executions`)
  await expect(page.getByRole('button', { name: `Project: ${other.name}` })).toBeVisible()
  await expect(page.getByRole('heading', { name: 'No Programs yet' })).toBeVisible()
  await page.goto(`/c/local/p/${project.id}/executions?status=completed`)
  await expect.poll(() => shownIds(page)).toEqual([id])
  await expect(page).toHaveURL(new RegExp(`:\\d+/p/${project.id}/executions\\?status=completed$`))
  await page.getByRole('link', { name: 'Programs' }).click()
  await expect(page).toHaveURL(new RegExp(`/p/${project.id}/programs$`))
  await page.goBack()
  await expect.poll(() => shownIds(page)).toEqual([id])
})

test('an old URL shows the last project, and keeps its filter', async ({ project, page }) => {
  const failed = await project.start({ fail: 'x' })
  await project.start({ say: 'x' })
  await page.goto('/executions?status=failed')
  await expect.poll(() => shownIds(page)).toEqual([failed])
  await expect(page).toHaveURL(new RegExp(`/p/${project.id}/executions\\?status=failed$`))
})

test('a remembered filter never changes what a URL shows', async ({ project, page }) => {
  const failed = await project.start({ fail: 'x' })
  const done = await project.start({ say: 'x' })
  await page.goto(`/p/${project.id}/executions?status=failed`)
  await expect.poll(() => shownIds(page)).toEqual([failed])
  await page.goto(`/p/${project.id}/executions`)
  await expect.poll(() => shownIds(page)).toEqual([done, failed])
  await expect(page).toHaveURL(/\/executions$/)
})

test('an Execution is found whatever project its URL names, and the URL is corrected', async ({ project, page }) => {
  const id = await project.start({ wait: 'approved' })
  const right = new RegExp(`/p/${project.id}/executions/${id}\\?tab=history$`)
  for (const place of ['/p/default', '/c/local/p/prj_00000000000000000000000000', '']) {
    await page.goto(`${place}/executions/${id}?tab=history`)
    await expect(grid(page).or(page.getByRole('grid', { name: 'History' }))).toBeVisible()
    await expect(page).toHaveURL(right)
  }
  await page.getByRole('link', { name: 'order-demo' }).first().click()
  await expect(page).toHaveURL(new RegExp(`/p/${project.id}/programs/order-demo$`))
})

test('an unknown connection or project is named, with a link to a valid one', async ({ page, allow }) => {
  allow(/404/)
  await page.goto('/c/acme/p/default/executions')
  await expect(page.getByRole('heading', { name: 'Connection not found', level: 1 })).toBeVisible()
  await expect(page.getByRole('main')).toContainText('acme')
  await axe(page)
  await page.getByRole('link', { name: 'Go to the local runtime' }).click()
  await expect(page).toHaveURL(/:\d+\/p\/default\/executions$/)

  await page.goto('/p/prj_00000000000000000000000000/programs')
  await expect(page.getByRole('heading', { name: 'Project not found', level: 1 })).toBeVisible()
  await page.getByRole('link', { name: 'Go to the default project' }).click()
  await expect(page).toHaveURL(/\/p\/default\/executions$/)
})

test('an unknown page, Program or version is named, with a link to those that exist', async ({
  project,
  page,
  allow,
}) => {
  allow(/404/)
  await page.goto('/nowhere')
  await expect(page.getByRole('heading', { name: 'Page not found', level: 1 })).toBeVisible()
  await expect(page.getByRole('heading', { name: 'Page not found' })).toHaveCount(1)
  await page.getByRole('link', { name: 'Go to Executions' }).click()
  await expect(page).toHaveURL(/\/executions$/)

  await page.goto(`/p/${project.id}/programs/nowhere`)
  await expect(page.getByRole('heading', { name: 'Program not found', level: 1 })).toBeVisible()
  await expect(page.getByRole('main')).toContainText('nowhere')
  await axe(page)
  await takeScreenshots(page, 'program-not-found')
  await page.goto(`/p/${project.id}/programs/nowhere/versions/1`)
  await expect(page.getByRole('heading', { name: 'Program not found', level: 1 })).toBeVisible()
  await page.getByRole('link', { name: 'Go to Programs' }).click()
  await expect(page).toHaveURL(/\/programs$/)

  await page.goto(`/p/${project.id}/programs/order-demo/versions/99`)
  await expect(page.getByRole('heading', { name: 'Version not found', level: 1 })).toBeVisible()
  await expect(page.getByRole('main')).toContainText('Program order-demo has no version 99.')
  await axe(page)
  await page.getByRole('link', { name: 'Go to the versions of order-demo' }).click()
  await expect(page).toHaveURL(/\/programs\/order-demo$/)
})

test('a version cannot be compared with one that does not exist, and is shown alone instead', async ({
  project,
  page,
  allow,
}) => {
  allow(/404/)
  await page.goto(`/p/${project.id}/programs/order-demo/versions/1?against=99`)
  await expect(page.getByRole('region', { name: 'Version 99 not found' })).toContainText('order-demo')
  await expect(page.getByRole('button', { name: 'Comparison' })).toHaveText('Compared with version 99')
  await axe(page)
  await takeScreenshots(page, 'version-against-missing')
  await page.getByRole('link', { name: 'Show version 1 alone' }).click()
  await expect(page).toHaveURL(/\/versions\/1$/)
  await expect(page.getByRole('navigation', { name: 'Files' })).toBeVisible()
})
