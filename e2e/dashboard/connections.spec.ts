// The dashboard of a real `wes dev` with connections to a real `wes serve`.

import type { Page, Request } from '@playwright/test'
import { createClient } from '../../src-sdk/create-client.ts'
import {
  filesWith,
  heapOf,
  recordSavedFiles,
  savedFiles,
  shownAndStored,
} from '../desktop/token-search.test-support.ts'
import { askHome, badge, dialog, fill, newName, test } from './connections.test-support.ts'
import { looksGood, tabTo } from './dialogs.test-support.ts'
import { axe, expect } from './fixtures.ts'
import { artifact } from './hosted-fixtures.ts'
import { takeNarrowScreenshots } from './screenshots.test-support.ts'

test('connects, switches there and back, and shows neither the data of the other', async ({
  linked: page,
  hosted,
  admin,
  client,
  runtime,
}) => {
  const { workspace } = await admin.whoAmI()
  await admin.deployProgram(artifact('hello'))
  await client.deployProgram(artifact('hello'))
  const there = (await admin.start('hello', { name: 'hosted' })).id
  const here = (await client.start('hello', { name: 'local' })).id
  const name = newName('acme')

  await test.step('a test shows the workspace, the role and the project, and saves nothing', async () => {
    await page.getByRole('button', { name: 'Connect to hosted' }).click()
    await axe(page)
    await fill(page, { name, address: hosted.url, token: hosted.token })
    await page.getByRole('button', { name: 'Test connection' }).click()
    await expect(dialog(page).getByRole('status')).toContainText(`Workspace${workspace.name}Roleadmin`)
    await looksGood(page)
    await takeNarrowScreenshots(page, 'connect')
  })
  await test.step('after connecting, the hosted service is shown, and the local runtime stays in the rail', async () => {
    await dialog(page).getByRole('button', { name: 'Connect', exact: true }).click()
    await expect(badge(page)).toHaveText(`Hosted · ${workspace.name}`)
    await expect(page).toHaveTitle(new RegExp(`^Executions – ${name} – `))
    await expect(page.getByRole('grid')).toContainText(there)
    await expect(page.getByText(here)).toHaveCount(0)
    await expect(page.getByRole('status', { name: 'Runtime' })).toHaveText('Local runtime ready')
    await expect(page.getByRole('status', { name: 'Service' })).toHaveText('Connected')
    await looksGood(page)
    await takeNarrowScreenshots(page, 'connected')
  })
  await test.step('from a screen that only hosted services have, local shows its Executions', async () => {
    await page.getByRole('link', { name: 'Usage' }).click()
    await expect(page.getByRole('heading', { name: 'Usage', level: 1 })).toBeVisible()
  })
  await test.step('back to local by the button, there again by the menu and the keyboard', async () => {
    await page.getByRole('button', { name: 'Switch to local' }).click()
    await expect(badge(page)).toHaveText('Local')
    await expect(page.getByRole('grid')).toContainText(here)
    await expect(page.getByText(there)).toHaveCount(0)
    await page.getByRole('button', { name: 'Switch connection' }).focus()
    await page.keyboard.press('Enter')
    await expect(page.getByRole('menuitem', { name })).toBeVisible()
    await takeNarrowScreenshots(page, 'connection-menu')
    await page.getByRole('menuitem', { name }).focus()
    await page.keyboard.press('Enter')
    await expect(badge(page)).toHaveText(`Hosted · ${workspace.name}`)
  })
  await test.step('a link leads to its connection after a reload, and a short one to local', async () => {
    await page.reload()
    await expect(badge(page)).toHaveText(`Hosted · ${workspace.name}`)
    await expect(page.getByRole('grid')).toContainText(there)
    await page.goto(`${runtime.url}/executions`)
    await expect(badge(page)).toHaveText('Local')
  })
  await test.step('the palette switches too', async () => {
    await page.keyboard.press('Control+k')
    await page.getByRole('combobox', { name: 'Search everything' }).fill(`switch to ${name}`)
    await page
      .getByRole('option', { name: new RegExp(name) })
      .first()
      .click()
    await expect(badge(page)).toHaveText(`Hosted · ${workspace.name}`)
  })
  await test.step('it is renamed and tested in the settings; removing it leads back to local', async () => {
    await page.goto(page.url().replace(/executions.*$/, 'settings'))
    await expect(page.getByRole('region', { name: 'Connections' })).toContainText(hosted.url)
    await takeNarrowScreenshots(page, 'connection-settings')
    await axe(page)
    await page.getByRole('button', { name: `Edit ${name}` }).click()
    await expect(dialog(page, 'Edit connection')).toBeVisible()
    await takeNarrowScreenshots(page, 'connection-edit')
    await axe(page)
    const renamed = `${name} renamed`
    await dialog(page, 'Edit connection').getByLabel('Name').fill(renamed)
    await dialog(page, 'Edit connection').getByRole('button', { name: 'Save' }).click()
    await expect(dialog(page, 'Edit connection')).toHaveCount(0)
    await page.getByRole('button', { name: `Test ${renamed}` }).click()
    await expect(page.getByText(`Works: workspace ${workspace.name}, role admin`)).toBeVisible()
    await page.getByRole('button', { name: `Edit ${renamed}` }).click()
    await page.getByRole('button', { name: 'Remove…' }).click()
    await expect(page.getByRole('dialog', { name: `Remove ${renamed}?` })).toContainText('its token are deleted')
    await page.getByRole('button', { name: 'Remove connection' }).click()
    await expect(badge(page)).toHaveText('Local')
    await expect(page.getByRole('region', { name: 'Connections' })).not.toContainText(hosted.url)
  })
})

test('two workspaces are never mixed', async ({ linked: page, saved, hosted, admin, allow }) => {
  allow(/status of 404/)
  const otherToken = await hosted.tokenOf('second')
  const other = createClient({ url: hosted.url, token: otherToken })
  const name = newName('one')
  const one = await saved({ name, address: hosted.url, token: hosted.token })
  const two = await saved({ name: newName('two'), address: hosted.url, token: otherToken })
  const project = await admin.createProject({ name: newName('only in one') })
  await other.createProject({ name: newName('only in two') })
  const origin = new URL(page.url()).origin
  const main = page.getByRole('main')

  await page.goto(`${origin}/c/${one}/p/${project.id}/executions`)
  await expect(page.getByRole('button', { name: `Project: ${project.name}` })).toBeVisible()
  await page.goto(`${origin}/c/${two}/p/${project.id}/executions`)
  await expect(page.getByRole('heading', { name: 'Project not found', level: 1 })).toBeVisible()
  await page.goto(`${origin}/c/${two}/p/default/projects`)
  await expect(page.getByRole('table', { name: 'Projects' })).toContainText('only in two')
  await expect(page.getByRole('table', { name: 'Projects' })).not.toContainText('only in one')
  await page.getByRole('button', { name: 'Switch connection' }).click()
  await page.getByRole('menuitem', { name: /^one/ }).click()
  await expect(page.getByRole('table', { name: 'Projects' })).toContainText(project.name)
  await expect(page.getByRole('table', { name: 'Projects' })).not.toContainText('only in two')
  await test.step('an open dialog stays with its connection', async () => {
    await page.getByRole('link', { name: 'Environment' }).click()
    await page.getByRole('button', { name: 'Switch connection' }).click()
    await page.getByRole('menuitem', { name: /^two/ }).click()
    await expect(badge(page)).toHaveText(/second/)
    await page.getByRole('button', { name: 'Add variable' }).click()
    await expect(dialog(page, 'Add variable')).toContainText(/the project Default on the connection two/)
    await dialog(page, 'Add variable').getByLabel('Name').fill('API_KEY')
    await page.keyboard.press('ControlOrMeta+k')
    await expect(page.getByRole('dialog')).toHaveCount(1)
    await page.goBack()
    await expect(badge(page)).not.toHaveText(/second/)
    await expect(page.getByRole('heading', { name: 'Environment', level: 1 })).toBeVisible()
    await expect(page.getByRole('dialog')).toHaveCount(0)
  })
  await test.step('what is under way when another connection is shown ends, and shows nothing there', async () => {
    await admin.deployProgram({ ...artifact('hello'), id: 'only-one' })
    await other.deployProgram({ ...artifact('hello'), id: 'only-two' })
    const { promise: released, resolve: release } = Promise.withResolvers<void>()
    const underWay = new Set<Request>()
    page.on('requestfailed', (request) => underWay.delete(request))
    page.on('requestfinished', (request) => underWay.delete(request))
    await page.route(`**/hosted/${one}/v1/**`, async (route) => {
      underWay.add(route.request())
      await released
      // It may have been given up.
      await route.continue().catch(() => undefined)
    })
    await page.goto(`${origin}/c/${one}/p/default/programs`)
    await expect.poll(() => underWay.size).toBeGreaterThan(1)
    await page.getByRole('button', { name: 'Switch connection' }).click()
    await page.getByRole('menuitem', { name: /^two/ }).click()
    await expect(main.getByRole('table', { name: 'Programs' })).toContainText('only-two')
    await expect.poll(() => underWay.size).toBe(0)
    release()
    await expect(badge(page)).toHaveText('Hosted · second')
    await expect(main).not.toContainText('only-one')
    await page.goBack()
    await expect(main.getByRole('table', { name: 'Programs' })).toContainText('only-one')
    await expect(main).not.toContainText('only-two')
    await page.goForward()
    await expect(main.getByRole('table', { name: 'Programs' })).toContainText('only-two')

    await page.getByRole('link', { name: 'Executions' }).click()
    const inOne = await admin.start('only-one', { name: 'one' })
    const inTwo = await other.start('only-two', { name: 'two' })
    await expect(page.getByRole('grid')).toContainText(inTwo.id)
    await page.getByRole('button', { name: 'Switch connection' }).click()
    await page.getByRole('menuitem', { name: /^one/ }).click()
    await expect(page.getByRole('grid')).toContainText(inOne.id)
    await expect(page.getByRole('grid')).not.toContainText(inTwo.id)
    await page.goBack()
    await expect(page.getByRole('grid')).toContainText(inTwo.id)
    await expect(page.getByRole('grid')).not.toContainText(inOne.id)
    await page.unrouteAll({ behavior: 'ignoreErrors' })
  })
  await test.step('what is done when another connection is shown is said there by name, and leads nowhere', async () => {
    await page.goto(`${origin}/c/${one}/p/default/programs/only-one?tab=start`)
    const answer = Promise.withResolvers<void>()
    await page.route(`**/hosted/${one}/v1/executions`, async (route) => {
      if (route.request().method() === 'POST') await answer.promise
      await route.continue()
    })
    await page.getByLabel('name').fill('late')
    const sent = page.waitForRequest(
      (request) => request.method() === 'POST' && request.url().includes(`/hosted/${one}/`),
    )
    await page.getByRole('tabpanel').getByRole('button', { name: 'Start execution' }).click()
    await sent
    await page.getByRole('button', { name: 'Switch connection' }).click()
    await page.getByRole('menuitem', { name: /^two/ }).click()
    await expect(main.getByRole('table', { name: 'Programs' })).toContainText('only-two')
    const { pathname } = new URL(page.url())
    answer.resolve()
    const toast = page.getByRole('region', { name: 'Notifications' }).getByRole('group')
    await expect(toast).toHaveText(`Execution startedConnection: ${name}`)
    expect(new URL(page.url()).pathname).toBe(pathname)
    await page.unrouteAll({ behavior: 'ignoreErrors' })
  })
  await test.step('each remembers a filter of its own', async () => {
    const executions = page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Executions' })
    await page.goto(`${origin}/c/${two}/p/default/executions?status=failed`)
    await expect(page.getByRole('button', { name: /^failed/ })).toHaveAttribute('aria-pressed', 'true')
    await page.getByRole('link', { name: 'Programs' }).click()
    await expect(executions).toHaveAttribute('href', /status=/)
    await page.getByRole('button', { name: 'Switch connection' }).click()
    await page.getByRole('menuitem', { name: /^one/ }).click()
    await expect(badge(page)).not.toHaveText(/second/)
    await expect(executions).not.toHaveAttribute('href', /status=/)
  })
  // The project that was shown last belongs to the connection.
  await page.getByRole('link', { name: 'Executions' }).click()
  await page.goto(`${origin}/executions`)
  await expect(page.getByRole('button', { name: 'Project: Default' })).toBeVisible()
  await test.step('nothing is sent to what another tab has made of the connection', async () => {
    const start = dialog(page, 'Start execution')
    const openStart = async (): Promise<void> => {
      await page.getByRole('button', { name: 'Start execution' }).first().click()
      await expect(start).toBeVisible()
    }
    const otherTab = await page.context().newPage()
    await otherTab.goto(`${origin}/settings`)
    await page.goto(`${origin}/c/${one}/p/default/programs`)
    await expect(page.getByRole('table', { name: 'Programs' })).toContainText('only-one')

    await openStart()
    await otherTab.getByRole('button', { name: `Edit ${name}` }).click()
    await dialog(otherTab, 'Edit connection').getByRole('button', { name: 'Replace token' }).click()
    await dialog(otherTab, 'Replace token').getByLabel('Token').fill(otherToken)
    await dialog(otherTab, 'Replace token').getByRole('button', { name: 'Replace token' }).click()
    await expect(badge(page)).toHaveText('Hosted · second')
    await expect(start).toHaveCount(0)
    await expect(page.getByRole('table', { name: 'Programs' })).toContainText('only-two')
    await expect(page.getByRole('table', { name: 'Programs' })).not.toContainText('only-one')

    await openStart()
    await askHome(otherTab, 'DELETE', `/${one}`)
    await expect(page.getByText(/^The connection .* was removed/)).toBeVisible()
    const address = hosted.url.replace('localhost', '127.0.0.1')
    const look = { isProduction: true, colour: 'pink', keep: 'run' }
    await askHome(otherTab, 'POST', '', { name, address, token: hosted.token, ...look })
    await expect(badge(page)).toHaveText('Hosted · default')
    await expect(start).toHaveCount(0)
    await expect(page.getByRole('table', { name: 'Programs' })).toContainText('only-one')
  })
})

test('snippets carry the address of the service and a placeholder for the token', async ({
  linked: page,
  saved,
  hosted,
  admin,
  context,
}) => {
  await admin.deployProgram(artifact('hello'))
  const execution = await admin.start('hello', { name: 'Ada' })
  await context.grantPermissions(['clipboard-read', 'clipboard-write'])
  const id = await saved({ name: newName('snippets'), address: hosted.url, token: hosted.token })
  await page.goto(`${new URL(page.url()).origin}/c/${id}/p/default/executions/${execution.id}`)
  for (const language of ['curl', 'TypeScript', 'Rust', 'CLI']) {
    await page.getByRole('main').getByRole('button', { name: 'Copy as' }).click()
    await page.getByRole('menuitem', { name: `Read: ${language}` }).click()
    await expect(page.getByText(`Copied as ${language}`)).toBeVisible()
    const copied = await page.evaluate(() => navigator.clipboard.readText())
    expect(copied).toContain(`SERVICE_API_BASE_URL=${hosted.url}`)
    expect(copied).toContain('<your token>')
    expect(copied).not.toContain(hosted.token)
  }
})

test('a link to an unknown connection offers to add it under its name, and then shows what it links to', async ({
  linked: page,
  hosted,
  admin,
}) => {
  const { workspace } = await admin.whoAmI()
  await admin.deployProgram(artifact('hello'))
  const { id } = await admin.start('hello', { name: 'Ada' })
  const { origin } = new URL(page.url())
  const name = newName('Else where')
  await page.goto(`${origin}/c/${encodeURIComponent(name)}/p/default/executions/${id}?tab=data`)
  await expect(page.getByRole('heading', { name: 'Connection not found', level: 1 })).toBeVisible()
  await expect(page.getByRole('main')).toContainText(`${name}, which you do not have`)
  await axe(page)
  await takeNarrowScreenshots(page, 'connection-unknown')
  await page.getByRole('button', { name: 'Connect to hosted' }).click()
  await expect(dialog(page).getByLabel('Name')).toHaveValue(name)
  await dialog(page).getByLabel('Address').fill(hosted.url)
  await dialog(page).getByLabel('Token').fill(hosted.token)
  await dialog(page).getByRole('button', { name: 'Connect', exact: true }).click()
  await expect(badge(page)).toHaveText(`Hosted · ${workspace.name}`)
  const saved = name.toLowerCase().replaceAll(' ', '-')
  await expect(page).toHaveURL(`${origin}/c/${saved}/p/default/executions/${id}?tab=data`)
  await expect(page.getByRole('main')).toContainText('Hello, Ada!')
})

/** More than the elements of a screen that take the focus. */
const WHOLE_SCREEN = 60

test('everything is done with the keyboard alone', async ({ linked: page, runtime, hosted, admin }) => {
  const { workspace } = await admin.whoAmI()
  const reader = await admin.createToken({ name: 'by keyboard', role: 'read' })
  const name = newName('typed')
  const { keyboard } = page
  const press = async (target: ReturnType<Page['getByRole']>): Promise<void> => {
    await tabTo(page, target, WHOLE_SCREEN)
    await keyboard.press('Enter')
  }
  const hostedBadge = `Hosted · ${workspace.name}`

  await test.step('connect', async () => {
    await press(page.getByRole('button', { name: 'Connect to hosted' }))
    for (const [label, text] of [
      ['Name', name],
      ['Address', hosted.url],
      ['Token', hosted.token],
    ] as const) {
      await expect(dialog(page).getByLabel(label)).toBeFocused()
      await keyboard.type(text)
      await keyboard.press('Tab')
    }
    await press(dialog(page).getByRole('button', { name: 'Test connection' }))
    await expect(dialog(page).getByRole('status')).toContainText(`Workspace${workspace.name}`)
    await press(dialog(page).getByRole('button', { name: 'Connect', exact: true }))
    await expect(badge(page)).toHaveText(hostedBadge)
    // Its button now leads back to the local runtime: another Enter would leave what was just opened.
    await expect(page.getByRole('main')).toBeFocused()
  })
  await test.step('switch, by the menu and by the palette', async () => {
    await press(page.getByRole('button', { name: 'Switch connection' }))
    await expect(page.getByRole('menuitem', { name })).toBeVisible()
    await keyboard.press('Home')
    await keyboard.press('Enter')
    await expect(badge(page)).toHaveText('Local')
    await keyboard.press('ControlOrMeta+k')
    await keyboard.type(`switch to ${name}`)
    await expect(page.getByRole('option', { name: new RegExp(name) }).first()).toBeVisible()
    await keyboard.press('Enter')
    await expect(badge(page)).toHaveText(hostedBadge)
  })
  await test.step('replace the token', async () => {
    await press(page.getByRole('link', { name: 'Settings' }))
    await press(page.getByRole('button', { name: `Edit ${name}` }))
    await press(dialog(page, 'Edit connection').getByRole('button', { name: 'Replace token' }))
    await expect(dialog(page, 'Replace token').getByLabel('Token')).toBeFocused()
    await looksGood(page)
    await keyboard.type(reader.secret)
    await keyboard.press('Enter')
    await expect(page.getByText(`The token of ${name} is replaced`)).toBeVisible()
    await expect(page.getByText('Token by keyboard (read)')).toBeVisible()
  })
  await test.step('rename; the focus is again where it was', async () => {
    await press(page.getByRole('button', { name: `Edit ${name}` }))
    await expect(dialog(page, 'Edit connection').getByLabel('Name')).toBeFocused()
    await keyboard.press('End')
    await keyboard.type('!')
    await keyboard.press('Enter')
    await expect(page.getByRole('button', { name: `Edit ${name}!` })).toBeFocused()
  })
  await test.step('neither token is in memory, storage, addresses, exports or files', async () => {
    await recordSavedFiles(page)
    await press(page.getByRole('button', { name: 'Diagnostics…' }))
    await press(page.getByRole('button', { name: 'Save as a file' }))
    await expect.poll(() => savedFiles(page)).toHaveLength(1)
    await keyboard.press('Escape')
    await press(page.getByRole('link', { name: 'Usage' }))
    await press(page.getByRole('button', { name: 'Download CSV' }))
    await expect.poll(() => savedFiles(page)).toHaveLength(2)
    await press(page.getByRole('link', { name: 'Settings' }))
    await page.evaluate(() => Object.assign(globalThis, { control: ['in', 'memory', 'of the page'].join(' ') }))
    const all = [await heapOf(page), await shownAndStored(page), ...(await savedFiles(page))].join('')
    expect(all).toContain('in memory of the page')
    for (const token of [hosted.token, reader.secret]) {
      expect(all).not.toContain(token.slice(4, 36))
      expect(filesWith(runtime.dataDir, token)).toEqual([])
    }
  })
  await test.step('remove', async () => {
    await press(page.getByRole('button', { name: `Edit ${name}!` }))
    await press(dialog(page, 'Edit connection').getByRole('button', { name: 'Remove…' }))
    await looksGood(page)
    await press(page.getByRole('button', { name: 'Remove connection' }))
    await expect(badge(page)).toHaveText('Local')
    await expect(page.getByText(`${name}! is removed`)).toBeVisible()
  })
})

test('without a session, the page says how to get one, and asks for no token', async ({ page, runtime, allow }) => {
  allow(/status of 401/)
  await page.goto(`${runtime.url}/#code=used-before`)
  await expect(page.getByText('The link opens no session').first()).toBeVisible()
  await page.getByRole('button', { name: 'Connect to hosted' }).click()
  await expect(dialog(page)).toContainText('This link has been used or is older than 10 minutes.')
  await expect(dialog(page)).toContainText(`npm run -s wes -- link --data-dir ${runtime.dataDir}`)
  await expect(dialog(page).getByLabel('Token')).toHaveCount(0)
  await axe(page)
  await takeNarrowScreenshots(page, 'connect-no-session')
})
