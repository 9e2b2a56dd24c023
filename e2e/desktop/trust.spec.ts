// A folder's code runs only while the user trusts the folder.

import { existsSync, readFileSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import { CUT_OFF, expect, test, untilReady } from './launch.ts'
import type { DesktopHome } from './desktop-home.ts'
import { answerDialog, clickMenu, shownDialogs } from './platform.ts'

const TRUST = { response: 0 }
const DO_NOT_TRUST = { response: 1 }

const writeProject = (home: DesktopHome): string => {
  home.writeProject(
    'programs/note.effects.ts',
    `import { appendFileSync } from 'node:fs'
export async function note(text: string): Promise<void> { appendFileSync('notes', text + '\\n') }`,
  )
  return home.writeProject(
    'programs/keep.ts',
    `import { defineProgram } from 'workflow-execution-service'
import { note } from './note.effects.ts'
export default defineProgram({ id: 'keep' }, async (_ctx, text: string) => note(text))`,
  )
}

const programs = async ({ client }: DesktopHome): Promise<readonly string[]> =>
  (await client.listPrograms().catch(() => ({ items: [] }))).items.map(({ id }) => id)

test('the user is asked once per folder; the answer is stored, and can be revoked', async ({ allow, home, launch }) => {
  allow(CUT_OFF)
  const folder = writeProject(home)
  const notes = join(folder, 'notes')
  const first = await launch()
  const questions = async (app = first) =>
    (await shownDialogs(app.electronApp)).filter(({ message }) => message === 'Trust this folder?').length
  const choose = async (answer: object): Promise<void> => {
    await answerDialog(first.electronApp, 'showOpenDialog', { canceled: false, filePaths: [folder] })
    await answerDialog(first.electronApp, 'showMessageBox', answer)
    await clickMenu(first.electronApp, 'choose-project')
  }
  const page = await first.page()
  await untilReady(page)

  await test.step('a no leaves it closed, and nothing of it runs', async () => {
    await choose(DO_NOT_TRUST)
    await expect.poll(() => questions()).toBe(1)
    expect(await page.evaluate(() => wesDesktop.projectFolders.get())).toEqual({ current: null, recent: [] })
    expect(await programs(home)).toEqual([])
  })

  await test.step('a yes opens it', async () => {
    await choose(TRUST)
    await expect.poll(() => programs(home)).toEqual(['keep'])
    await (await home.client.start('keep', 'one')).result()
    expect(readFileSync(notes, 'utf8')).toBe('one\n')
    expect(await questions()).toBe(2)
  })
  await first.quit()

  const second = await launch()
  const later = await second.page()
  await test.step('the next start asks nothing', async () => {
    await untilReady(later)
    await (await home.client.start('keep', 'two')).result()
    expect(readFileSync(notes, 'utf8')).toBe('one\ntwo\n')
    expect(await questions(second)).toBe(0)
  })

  await test.step('removed in Settings, its effects wait', async () => {
    await later.getByRole('link', { name: 'Settings' }).click()
    const list = later.getByRole('region', { name: 'Trusted folders' })
    await expect(list.getByText(folder)).toBeVisible()
    await list.getByRole('button', { name: `Remove ${folder}` }).click()
    await expect(list.getByText('No folders')).toBeVisible()
    await untilReady(later)
    const { id } = await home.client.start('keep', 'three')
    await expect
      .poll(async () => (await home.client.getHistory(id)).items.map(({ data }) => JSON.stringify(data ?? null)).join())
      .toContain(`the folder ${folder} is not trusted`)
    expect(readFileSync(notes, 'utf8')).toBe('one\ntwo\n')
    expect((await home.client.getExecution(id)).status).toBe('waiting')
  })

  await test.step('a no to a recent folder leaves it closed, also in the menu', async () => {
    await answerDialog(second.electronApp, 'showMessageBox', DO_NOT_TRUST)
    await clickMenu(second.electronApp, 'recent-project-1')
    await expect.poll(() => questions(second)).toBe(1)
    const isMarked = () =>
      second.electronApp.evaluate(({ Menu }) => Menu.getApplicationMenu()!.getMenuItemById('recent-project-1')!.checked)
    await expect.poll(isMarked).toBe(false)
  })

  await test.step('one that is gone is no recent one any more', async () => {
    renameSync(folder, `${folder} moved`)
    const project = later.getByRole('region', { name: 'Project folder' })
    await project.getByRole('button', { name: 'Open', exact: true }).click()
    await expect(later.getByText(`${folder} does not exist any more.`).first()).toBeVisible()
    await expect(project.getByText('Recent')).toHaveCount(0)
  })
})

test('an Execution that wakes runs no effects of an untrusted folder', async ({ allow, home, launch }) => {
  allow(CUT_OFF)
  const folder = writeProject(home)
  home.trust(folder)
  home.storeSettings({ projectFolders: { current: folder, recent: [folder] } })
  const sleeper = home.writeProject(
    'programs/sleeper.ts',
    `import { defineProgram } from 'workflow-execution-service'
import { note } from './note.effects.ts'
export default defineProgram({ id: 'sleeper' }, async (ctx) => { await ctx.sleep(3_600_000); await note('woke') })`,
  )
  expect(sleeper).toBe(folder)
  const first = await launch()
  await untilReady(await first.page())
  await expect.poll(() => programs(home)).toContain('sleeper')
  const { id } = await home.client.start('sleeper')
  await expect.poll(async () => (await home.client.getExecution(id)).status).toBe('waiting')
  await (await first.page()).evaluate((path) => wesDesktop.projectFolders.removeTrust(path), folder)
  await first.quit()

  const second = await launch()
  await untilReady(await second.page())
  await home.client.fireCommand(id, 1)
  await expect
    .poll(async () => (await home.client.getExecution(id)).waitingFor.map(({ kind }) => kind))
    .toEqual(['effect'])
  expect(existsSync(join(folder, 'notes'))).toBe(false)
})

test('the user is asked about the open folder at the start if it is not trusted, in a window that opens for it', async ({
  home,
  launch,
}) => {
  const folder = writeProject(home)
  home.storeSettings({
    startMinimised: true,
    keepInTray: true,
    projectFolders: { current: folder, recent: [folder] },
  })
  const { electronApp, page: openPage } = await launch()
  const page = await openPage()
  await expect
    .poll(() => shownDialogs(electronApp))
    .toMatchObject([{ message: 'Trust this folder?', isInWindow: true }])
  expect(existsSync(join(home.dataDir, 'runtime.json'))).toBe(false)
  const status = page.getByRole('status', { name: 'Runtime', exact: true })
  await expect(status).toHaveText('Runtime stopped')
  await clickMenu(electronApp, 'start-runtime')
  expect(await page.evaluate(() => wesDesktop.runtime.state())).toEqual({ kind: 'stopped' })
  await expect(status).toHaveText('Runtime stopped')
  expect(await shownDialogs(electronApp)).toHaveLength(1)
})
