// What only an installed app does: its archive, the files beside it, and effects without the user's own Node.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { appendFileSync, chmodSync, cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { text } from 'node:stream/consumers'
import { configFaults } from '../../scripts/package/feed.ts'
import type { UpdateFeed } from '../../src-main/updates/update-feed.ts'
import type { DesktopHome } from './desktop-home.ts'
import { INSTALLED_APP, STAND_IN_OF_INSTALLED } from './installation.ts'
import { CUT_OFF, expect, test, untilReady } from './launch.ts'
import { clickMenu } from './platform.ts'

const smokeTest = async (executable: string, home: DesktopHome): Promise<unknown> => {
  const child = spawn(executable, ['--no-sandbox', '--smoke-test'], {
    cwd: home.folder,
    env: { ...home.env, ...STAND_IN_OF_INSTALLED },
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  const [printed, [code]] = await Promise.all([text(child.stdout), once(child, 'exit')])
  return { ...(JSON.parse(printed) as object), code: code as unknown }
}

test('it runs from its archive, and ignores the variables of a checkout', async ({ home, launch }) => {
  const app = await launch({
    env: { WES_USER_DATA_DIR: join(home.folder, 'other'), WES_PORT: '1', ELECTRON_RENDERER_URL: 'http://localhost:1' },
  })
  const page = await app.page()
  await untilReady(page)
  const facts = await app.electronApp.evaluate((electron) => ({
    isPackaged: electron.app.isPackaged,
    path: electron.app.getAppPath(),
    userData: electron.app.getPath('userData'),
  }))
  expect(facts).toEqual({
    isPackaged: true,
    path: join(dirname(INSTALLED_APP), 'resources/app.asar'),
    userData: home.userData,
  })
  expect((await home.client.listProjects()).items).toHaveLength(1)
})

test('it looks for updates where its package says, with what is in its archive, and only as an AppImage', async ({
  home,
  launch,
}) => {
  const resources = join(dirname(INSTALLED_APP), 'resources')
  const feed = JSON.parse(readFileSync(join(resources, 'app.asar/out/update-feed.json'), 'utf8')) as UpdateFeed
  expect([feed.provider, configFaults(resources, feed)]).toEqual(['generic', []])
  const said = async (env: Readonly<Record<string, string>>) => {
    const app = await launch({ env: { ...env, WES_UPDATE_FEED: 'http://127.0.0.1:1/' } })
    const page = await app.page()
    await clickMenu(app.electronApp, 'updates')
    return { app, section: page.getByRole('region', { name: 'Updates' }) }
  }
  const unpacked = await said({})
  await expect(unpacked.section).toContainText('This copy is updated in the way it was installed.')
  await unpacked.app.quit()

  const folder = join(home.folder, 'Apps')
  mkdirSync(folder)
  const { section } = await said({ APPIMAGE: join(folder, 'wes.AppImage'), APPDIR: dirname(INSTALLED_APP) })
  // Nobody has the address in this package.
  await expect(section.getByRole('alert')).toContainText('The update server cannot be found.')
})

test('its smoke test upgrades data, runs a Program with an effect, and leaves the user’s data alone', async ({
  home,
}) => {
  expect(await smokeTest(INSTALLED_APP, home)).toMatchObject({
    code: 0,
    ok: true,
    isUpgradedApart: true,
    result: 'it runs',
  })
})

test('it refuses to start if a file beside its archive has changed', async ({ home }) => {
  const copy = join(home.folder, 'changed')
  cpSync(dirname(INSTALLED_APP), copy, { recursive: true, verbatimSymlinks: true })
  const changed = join(copy, 'resources/app.asar.unpacked/out/main/src-runtime/sandbox/host-main.js')
  chmodSync(changed, 0o644)
  appendFileSync(changed, ';')
  expect(await smokeTest(join(copy, basename(INSTALLED_APP)), home)).toEqual({
    code: 1,
    ok: false,
    problem: `${changed} changed since Workflow Execution Service was installed. Install it again.`,
  })
})

const WHERE = `export async function where(): Promise<string> {
  return 'parentPort' in process ? 'utility process' : process.execPath
}`
const PROGRAM = `import { defineProgram } from 'workflow-execution-service'
import { where } from './where.effects.ts'
export default defineProgram({ id: 'where' }, async () => where())`

/** As many programs of that name as the app tries, all too old. */
const withoutNode = (home: DesktopHome): string =>
  Array.from({ length: 8 }, (_, index) => {
    const folder = join(home.folder, `old-${index}`)
    mkdirSync(folder)
    writeFileSync(join(folder, 'node'), '#!/bin/sh\necho v20.0.0\n')
    chmodSync(join(folder, 'node'), 0o755)
    return folder
  }).join(':')

for (const [where, path] of [
  ['in the user’s own Node', () => process.env['PATH'] ?? ''],
  ['in a utility process where there is none', withoutNode],
] as const) {
  test(`its effects run ${where}`, async ({ allow, home, launch }) => {
    allow(CUT_OFF)
    home.writeProject('programs/where.effects.ts', WHERE)
    const folder = home.writeProject('programs/where.ts', PROGRAM)
    home.trust(folder)
    home.storeSettings({ projectFolders: { current: folder, recent: [folder] } })
    // The stand-in finds its own programs without the PATH.
    const page = await (await launch({ env: { PATH: `${path(home)}:${process.env['PATH']}` } })).page()
    const about = await page.evaluate(() => wesDesktop.about())
    const programs = async () => (await home.client.listPrograms()).items.map(({ id }) => id)
    await expect.poll(() => programs().catch(() => [])).toEqual(['where'])
    const { id } = await home.client.start('where')
    const ran = async () => (await home.client.getResult(id)) as { readonly status: string; readonly result?: string }
    await expect.poll(async () => (await ran()).status).toBe('completed')
    const { result = '' } = await ran()
    if (path === withoutNode) {
      expect([about.effectsRunOn, result]).toEqual([expect.stringMatching(/^Electron’s own Node/), 'utility process'])
    } else {
      expect(about.effectsRunOn).toMatch(/^Node v\d+\.\d+\.\d+ \(/)
      expect(result).toMatch(/\/node$/)
    }
  })
}
