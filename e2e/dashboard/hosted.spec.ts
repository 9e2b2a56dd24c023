// The dashboard of `wes serve`, at its `/`: a session for a token, and the same screens.

import type { Locator, Page } from '@playwright/test'
import { createClient } from '../../src-sdk/create-client.ts'
import { axe, expect, takeScreenshots } from './fixtures.ts'
import { drop, typeOverAll } from './dialogs.test-support.ts'
import { artifact, enter, setBeforeAnswer, signIn, test, tokenField } from './hosted-fixtures.ts'

/** Types an input into the start dialog, where it is still there after a new sign-in. */
const typeInput = async (page: Page): Promise<Locator> => {
  await page.keyboard.press('s')
  const editor = page.getByRole('dialog', { name: 'Start execution' }).getByLabel('Input')
  await typeOverAll(page, editor, '{"name":"Ada"}')
  return editor
}

test('without a session it asks for a token, and keeps none', async ({ page, hosted, admin }) => {
  await page.goto(hosted.url)
  await expect(tokenField(page)).toBeFocused()
  await takeScreenshots(page, 'hosted-sign-in')
  await axe(page)
  await enter(page, 'wes_no-such-token')
  await expect(page.getByText('The token was refused')).toBeVisible()
  await expect(tokenField(page)).toHaveValue('')
  await axe(page)
  const { workspace } = await admin.whoAmI()
  await enter(page, hosted.token)
  await expect(page.getByRole('status', { name: 'Connection' })).toHaveText(`Hosted · ${workspace.name}`)
  const stored = await page.evaluate(() => JSON.stringify({ ...localStorage, ...sessionStorage }) + document.cookie)
  expect(stored).not.toContain('wes_')
  expect(await page.content()).not.toContain(hosted.token)
  await takeScreenshots(page, 'hosted-executions')
})

test('its files come compressed to browsers, and as they are to others', async ({ hosted }) => {
  const page = await (await fetch(hosted.url, { headers: { accept: 'text/html' } })).text()
  const script = `${hosted.url}${/src="(\/assets\/first-screen[^"]+)"/.exec(page)?.[1]}`
  const fetchFor = (accepted: string) => fetch(script, { headers: { 'accept-encoding': accepted } })
  const compressed = await fetchFor('gzip, deflate, br')
  const plain = await fetchFor('gzip;q=0, br')
  expect([compressed, plain].map(({ headers }) => headers.get('content-encoding'))).toEqual(['gzip', null])
  expect([compressed, plain].map(({ headers }) => headers.get('vary'))).toEqual(['accept-encoding', 'accept-encoding'])
  // `fetch` has decompressed it.
  expect(await compressed.text()).toBe(await plain.text())
})

test('says why it refuses the page, as under an address that is not its own', async ({ page, project, allow }) => {
  allow(/status of 403/)
  const message = 'The session of the dashboard is not for this page.'
  await page.route('**/whoami', (route) =>
    route.fulfill({ status: 403, json: { error: { code: 'forbidden_origin', message } } }),
  )
  await page.goto(project.at('executions'))
  const fault = page.getByRole('alert')
  await expect(fault).toContainText('Your session could not be loaded')
  await expect(fault).toContainText(message)
  await page.unrouteAll()
  await fault.getByRole('button', { name: 'Try again' }).click()
  await expect(tokenField(page)).toBeFocused()
})

test('a sign-in that could not be loaded comes later, over what was typed', async ({
  page,
  hosted,
  project,
  allow,
}) => {
  allow(/401|ERR_FAILED/)
  const { client } = project
  await client.deployProgram(artifact('hello'))
  const token = await client.createToken({ name: 'first', role: 'write' })
  await signIn(page, hosted, token.secret)
  await page.route(/\/sign-in-/, (route) => route.abort())
  await page.goto(project.at('executions'))
  await expect(page.getByText('Token first (write)')).toBeVisible()
  const editor = await typeInput(page)
  await client.revokeToken(token.id)
  await expect(page.getByText('Loading the sign-in')).toBeAttached()
  await page.unroute(/\/sign-in-/)
  await expect(tokenField(page)).toBeFocused()
  await enter(page, (await client.createToken({ name: 'second', role: 'write' })).secret)
  await expect(editor).toHaveText('{"name":"Ada"}')
})

test('with a session, Executions are started, followed live and read', async ({ page, hosted, admin, allow }) => {
  await admin.deployProgram(artifact('hello'))
  await page.goto(hosted.url)
  await enter(page, hosted.token)
  await page.getByRole('link', { name: 'Executions' }).click()
  const execution = await admin.start('hello', { name: 'Ada' })
  await page.getByRole('grid').getByText(execution.id.slice(-6)).first().click()
  await page.goto(`${hosted.url}/executions/${execution.id}?tab=data`)
  await expect(page.getByText('Hello, Ada!').first()).toBeVisible()
  await axe(page)
  for (const screen of ['programs', 'waiting', 'errors', 'metrics', 'settings', 'projects']) {
    await page.goto(`${hosted.url}/${screen}`)
    await expect(page.getByRole('main').getByRole('heading', { level: 1 })).toBeVisible()
  }
  await test.step('Control Enter answers a question, and does not submit the form behind it', async () => {
    await page.goto(`${hosted.url}/programs/hello?tab=start`)
    await expect(page.getByRole('textbox', { name: 'name' })).toBeVisible()
    await drop(page, { 'dropped.program.json': JSON.stringify({ ...artifact('hello'), id: 'dropped' }) })
    await expect(
      page.getByRole('dialog', { name: /^Deploy 1 file/ }).getByRole('button', { name: 'Go back' }),
    ).toBeFocused()
    await page.keyboard.press('ControlOrMeta+Enter')
    const deployed = page.getByRole('dialog', { name: 'Deploy Programs' })
    await expect(deployed).toContainText('dropped is deployed as version 1')
    await deployed.getByRole('button', { name: 'Close' }).last().click()
    await expect(page.getByRole('textbox', { name: 'name' })).not.toHaveAttribute('aria-invalid', 'true')
  })
  for (const long of ['/c/current', '/c/hosted']) {
    await page.goto(`${hosted.url}${long}/p/default/executions/${execution.id}?tab=data`)
    await expect(page.getByText('Hello, Ada!').first()).toBeVisible()
    await expect(page).toHaveURL(`${hosted.url}/p/default/executions/${execution.id}?tab=data`)
  }
  allow(/404/)
  await page.goto(`${hosted.url}/executions/exe_none`)
  await expect(page.getByText('exe_none is not in this workspace.')).toContainText('it may be in another workspace')
})

test('a token that is revoked, and signing out, end the session', async ({ page, hosted, admin }) => {
  const token = await admin.createToken({ name: 'for a while', role: 'read' })
  await page.goto(hosted.url)
  await enter(page, token.secret)
  await expect(page.getByText('Token for a while (read)')).toBeVisible()
  await admin.revokeToken(token.id)
  await expect(tokenField(page)).toBeVisible()
  await enter(page, hosted.token)
  await expect(page.getByRole('button', { name: 'Sign out' })).toBeVisible()
  await page.getByRole('button', { name: 'Sign out' }).click()
  await expect(tokenField(page)).toBeVisible()
  await page.goto(`${hosted.url}/programs`)
  await expect(tokenField(page)).toBeVisible()
})

test('what was typed survives signing in again with the same access, and only then', async ({ page, project }) => {
  await project.client.deployProgram(artifact('hello'))
  const { client } = project
  const [first, second, other] = await Promise.all([
    client.createToken({ name: 'first', role: 'write' }),
    client.createToken({ name: 'second', role: 'write' }),
    client.createToken({ name: 'other', role: 'read' }),
  ])
  await page.goto(project.at('executions'))
  await enter(page, first.secret)
  await expect(page.getByText('Token first (write)')).toBeVisible()
  const editor = await typeInput(page)

  await client.revokeToken(first.id)
  await expect(page.getByText('Your session has ended')).toBeVisible()
  await expect(tokenField(page)).toBeFocused()
  await takeScreenshots(page, 'hosted-sign-in-again')
  await axe(page)
  await enter(page, second.secret)
  await expect(page.getByText('Token second (write)')).toBeVisible()
  await expect(editor).toHaveText('{"name":"Ada"}')
  await page.keyboard.press('ControlOrMeta+Enter')
  await expect(page).toHaveURL(/executions\/exe_/)

  await page.goto(project.at('programs/hello?tab=start'))
  const typed = page.getByRole('main').getByLabel('Input')
  await typeOverAll(page, typed, '{"name":"Grace"}')
  await page.getByRole('tab', { name: 'Executions' }).click()
  const boxes = page.getByRole('checkbox', { name: /^Select exe_/ })
  await boxes.check()
  const selection = page.getByRole('region', { name: 'Selection' })
  await expect(selection).toContainText('1 selected')
  await page.getByRole('tab', { name: 'Start' }).click()
  await expect(typed).toHaveText('{"name":"Grace"}')
  await page.getByRole('tab', { name: 'Executions' }).click()
  await expect(selection).toContainText('1 selected')

  await page.keyboard.press('s')
  await expect(editor).toBeVisible()
  await client.revokeToken(second.id)
  await expect(page.getByText('Your session has ended')).toBeVisible()
  await enter(page, other.secret)
  await expect(page.getByText('Token other (read)')).toBeVisible()
  await expect(page.getByRole('dialog')).toHaveCount(0)
  await expect(boxes).toBeVisible()
  await expect(selection).toHaveCount(0)
  await page.getByRole('tab', { name: 'Start' }).click()
  await expect(typed).toBeVisible()
  await expect(typed).not.toContainText('Grace')
})

test('what this browser remembers of a workspace is not shown to another one', async ({
  page,
  context,
  hosted,
  admin,
  project,
}) => {
  const { client } = project
  await client.deployProgram(artifact('hello'))
  const name = `ورشة ${project.id}`
  const secret = await hosted.tokenOf(name)
  const other = createClient({ url: hosted.url, token: secret })
  for (const one of [admin, other]) {
    await one.deployProgram(artifact('hello'))
    await one.start('hello', { name: 'Ada' })
  }
  const rail = page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Executions' })

  await page.goto(`${hosted.url}/executions`)
  await enter(page, hosted.token)
  const boxes = page.getByRole('checkbox', { name: /^Select exe_/ })
  await boxes.first().check()
  const selection = page.getByRole('region', { name: 'Selection' })
  await expect(selection).toBeVisible()
  await context.clearCookies()
  await page.reload()
  await enter(page, secret)
  await expect(page.getByRole('status', { name: 'Connection' }).getByText(name), 'cut off at its end').toHaveCSS(
    'direction',
    'rtl',
  )
  await expect(boxes.first()).toBeVisible()
  await expect(selection).toHaveCount(0)

  await context.clearCookies()
  await page.goto(`${hosted.url}/executions?status=failed`)
  await enter(page, hosted.token)
  await page.getByRole('link', { name: 'Waiting' }).click()
  await expect(rail).toHaveAttribute('href', /status=failed/)
  await page.goto(project.at('programs/hello?tab=start'))
  await typeOverAll(page, page.getByRole('main').getByLabel('Input'), '{"name":"Ada of the first workspace"}')
  await page.keyboard.press('ControlOrMeta+Enter')
  await expect(page).toHaveURL(/executions\/exe_/)

  await page.getByRole('button', { name: 'Sign out' }).click()
  await expect(tokenField(page)).toBeVisible()
  await page.goto(`${hosted.url}/`)
  await enter(page, secret)
  await expect(page).toHaveURL(/\/p\/default\/executions$/)
  await page.goto(`${hosted.url}/programs/hello?tab=start`)
  await expect(page.getByRole('main').getByLabel('Input')).toBeVisible()
  await expect(page.getByRole('button', { name: 'Recent', exact: true })).toHaveCount(0)
  await expect(rail).not.toHaveAttribute('href', /status/)

  await page.getByRole('button', { name: 'Sign out' }).click()
  await expect(tokenField(page)).toBeVisible()
  await page.goto(`${hosted.url}/`)
  await enter(page, hosted.token)
  await expect(page).toHaveURL(new RegExp(`/p/${project.id}/`))
  await page.goto(project.at('programs/hello?tab=start'))
  await page.getByRole('button', { name: 'Recent' }).click()
  await expect(page.getByRole('menuitem', { name: /Ada of the first workspace/ })).toBeVisible()
})

test('after the user signs out in one tab, nothing that was read is left in another', async ({
  page,
  context,
  hosted,
  admin,
}) => {
  const own = { ...artifact('hello'), id: 'only-while-signed-in' }
  await admin.deployProgram(own)
  await page.goto(`${hosted.url}/programs`)
  await enter(page, hosted.token)
  await expect(page.getByRole('link', { name: own.id })).toBeVisible()
  const tab = await context.newPage()
  await tab.goto(hosted.url)
  await tab.getByRole('button', { name: 'Sign out' }).click()
  await expect(tokenField(page)).toBeVisible()
  await expect.poll(() => page.content(), 'also not behind the form').not.toContain(own.id)
  await enter(page, hosted.token)
  await expect(page.getByRole('link', { name: own.id })).toBeVisible()
})

test('a sign-in to another workspace in another tab shows nothing more of the first one', async ({
  page,
  context,
  hosted,
  admin,
}) => {
  const secret = await hosted.tokenOf('of another tab')
  const own = { ...artifact('hello'), id: 'only-in-the-first' }
  await admin.deployProgram(own)
  let answer = () => {}
  const held = new Promise<void>((resolve) => (answer = resolve))
  let isHeld = false
  await page.route(/v1\/programs\?/, async (route) => {
    if (isHeld) await held
    await route.continue()
  })
  await page.route('**/v1/projects/*/environment', async (route) => {
    if (route.request().method() === 'GET') return route.continue()
    await held
    const at = new Date().toISOString()
    const item = { name: 'KEY_OF_THE_FIRST', createdAt: at, updatedAt: at }
    await route.fulfill({ json: { items: [item], nextCursor: null } })
  })
  await page.goto(`${hosted.url}/environment`)
  await enter(page, hosted.token)
  await setBeforeAnswer(page, 'KEY_OF_THE_FIRST')
  await page.getByRole('link', { name: 'Programs' }).click()
  await expect(page.getByRole('link', { name: own.id })).toBeVisible()

  isHeld = true
  const tab = await context.newPage()
  await tab.goto(hosted.url)
  await tab.getByRole('button', { name: 'Sign out' }).click()
  await expect(tokenField(page)).toBeVisible()
  await enter(tab, secret)
  await expect(page.getByRole('status', { name: 'Connection' })).toHaveText('Hosted · of another tab')
  await expect(page.getByRole('link', { name: own.id })).toHaveCount(0)
  const late = page.waitForEvent('requestfinished', (request) => request.url().endsWith('/environment'))
  answer()
  await late
  await expect(page.getByText('No Programs')).toBeVisible()
  await page.getByRole('link', { name: 'Environment' }).click()
  await expect(page.getByText('No variables yet')).toBeVisible()
  expect(await page.getByText('KEY_OF_THE_FIRST').count(), 'what is told of the first workspace').toBe(0)
  await page.unrouteAll({ behavior: 'ignoreErrors' })
})

test('says that the service does not answer, and goes on when it does', async ({ page, hosted, admin, allow }) => {
  allow(/Failed to load resource|ERR_CONNECTION_REFUSED|ERR_INCOMPLETE_CHUNKED_ENCODING|ERR_CONNECTION_RESET/)
  await admin.deployProgram(artifact('hello'))
  await page.goto(hosted.url)
  await enter(page, hosted.token)
  await expect(page.getByText('Connected')).toBeVisible()
  await hosted.kill()
  await expect(page.getByText('The service does not answer.')).toBeVisible()
  await takeScreenshots(page, 'hosted-gone')
  await hosted.start()
  await expect(page.getByText('Connected')).toBeVisible()
  await expect(page.getByRole('button', { name: 'Sign out' })).toBeVisible()
})
