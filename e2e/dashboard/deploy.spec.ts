// Artifacts are deployed from files, which the user selects on the Programs screen or drops on the window.

import { drop } from './dialogs.test-support.ts'
import { axe, DEMO, expect, takeScreenshots, test } from './executions-list.test-support.ts'

const artifact = (id: string, code = '({ run: async () => 1 })'): string =>
  JSON.stringify({ format: 'wes.program/1', id, program: { code } })

test('several files are deployed at once, each with its outcome', async ({ project, page, allow }) => {
  allow(/status of 4(00|22)/)
  await page.goto(`/p/${project.id}/programs`)
  await expect(page.getByRole('heading', { level: 1, name: 'Programs' })).toBeVisible()
  const chooser = page.waitForEvent('filechooser')
  await page.getByRole('button', { name: 'Deploy files' }).click()
  await (
    await chooser
  ).setFiles([
    { name: 'right.program.json', mimeType: 'application/json', buffer: Buffer.from(artifact('right')) },
    { name: 'broken.program.json', mimeType: 'application/json', buffer: Buffer.from(artifact('broken', '({')) },
    { name: 'odd.program.json', mimeType: 'application/json', buffer: Buffer.from('{"format":"wes.program/1"}') },
    { name: 'notes.json', mimeType: 'application/json', buffer: Buffer.from('not json') },
    { name: 'cut.program.json', mimeType: 'application/json', buffer: Buffer.from('{"format":') },
    { name: 'huge.program.json', mimeType: 'application/json', buffer: Buffer.alloc(17 * 1024 * 1024, ' ') },
  ])
  const dialog = page.getByRole('dialog', { name: 'Deploy Programs' })
  const file = (name: string) => dialog.getByRole('listitem').filter({ hasText: name })
  await expect(file('right.program.json')).toContainText('right is deployed as version 1')
  await expect(file('broken.program.json')).toContainText(/Not deployed: .*(parse|syntax)/i)
  await expect(file('odd.program.json')).toContainText(/Not deployed: .*id/)
  await expect(file('notes.json')).toContainText('It is not an artifact.')
  await expect(file('cut.program.json')).toContainText('The file is not JSON')
  await expect(file('huge.program.json')).toContainText('An artifact may be up to 16 MiB')
  await axe(page)
  await takeScreenshots(page, 'deploy-dialog')
  await dialog.getByRole('button', { name: 'Close' }).last().click()
  await expect(page.getByRole('table', { name: 'Programs' })).toContainText('right')
})

test('a file that is dropped on any screen is deployed', async ({ project, page }) => {
  await page.goto(`/p/${project.id}/waiting`)
  await expect(page.getByRole('heading', { level: 1, name: 'Waiting' })).toBeVisible()
  await drop(page, { 'dropped.program.json': artifact('dropped') })
  const dialog = page.getByRole('dialog', { name: 'Deploy Programs' })
  await expect(dialog).toContainText('dropped is deployed as version 1')
  await dialog.getByRole('link', { name: 'dropped' }).click()
  await expect(page).toHaveURL(/\/programs\/dropped$/)
  await expect(dialog).toBeHidden()
})

test('a dropped folder, and files that are no artifacts, say what to do with them', async ({ project, page }) => {
  await page.goto(`/p/${project.id}/waiting`)
  await expect(page.getByRole('heading', { level: 1, name: 'Waiting' })).toBeVisible()
  // A script can drop no folder. Browsers hand over one as a file of which nothing can be read.
  await page.evaluate(() => {
    const { slice } = Blob.prototype
    const unreadable = { text: () => Promise.reject(new DOMException('not found', 'NotFoundError')) } as unknown as Blob
    Blob.prototype.slice = function (this: Blob, ...part) {
      return (this as File).name === 'orders' ? unreadable : slice.apply(this, part)
    }
  })
  await drop(page, { orders: '', 'order.ts': '{}', 'order.wes-run.json': '{}', 'order.png': '{}' })
  const list = page.getByRole('dialog', { name: 'Deploy Programs' }).getByRole('list', { name: 'Files' })
  await expect(list.getByRole('listitem')).toContainText([
    'It is a folder, or cannot be read. For a folder with Programs, start wes dev in it.',
    'It is source code. Save it in programs/ of your project folder',
    'It offers the start of an Execution. Open it with the desktop app instead.',
    'It is not an artifact.',
  ])
})

test('figures of a Program that cannot be loaded are not shown as none', async ({ project, page, allow }) => {
  allow(/status of 403/)
  await project.start({ say: 'x' })
  await page.route(/\/v1\/executions(\/counts)?\?/, (route) =>
    route.fulfill({ status: 403, json: { error: { code: 'forbidden', message: 'The token may not do this' } } }),
  )
  await page.goto(`/p/${project.id}/programs`)
  const unknown = page.getByRole('row', { name: DEMO }).getByText('unknown')
  await expect(unknown).toHaveCount(3)
  await expect(unknown.first()).toHaveAttribute('title', 'The token may not do this')
  await axe(page)
  await takeScreenshots(page, 'programs-figures-unknown')
})
