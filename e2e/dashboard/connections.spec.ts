// The dashboard of a real `wes dev` with connections to a real `wes serve`, and to servers that are none.

import { createServer, type RequestListener, type Server } from 'node:http'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import type { Page } from '@playwright/test'
import { wes } from '../../src-cli/wes.test-support.ts'
import { createClient } from '../../src-sdk/create-client.ts'
import { axe, expect, SMALL_SIZES, takeScreenshots } from './fixtures.ts'
import { artifact, test as base } from './hosted-fixtures.ts'

type Connect = {
  readonly name: string
  readonly address: string
  readonly token: string
  readonly isProduction?: boolean
}

type ConnectionFixtures = {
  /** The page of `wes dev`, opened by a link. */
  readonly linked: Page
  /** A connection that is saved already; answers its id. */
  readonly saved: (connection: Connect) => Promise<string>
  /** A server of this test; answers its address. */
  readonly serve: (listener: RequestListener) => Promise<string>
}

const test = base.extend<ConnectionFixtures>({
  linked: async ({ page, runtime, admin: _ }, provide) => {
    const { out } = await wes(['link', '--data-dir', runtime.dataDir])
    await page.goto(out.trim())
    await expect(page.getByRole('status', { name: 'Connection', exact: true })).toHaveText('Local')
    await provide(page)
  },
  saved: async ({ linked }, provide) => {
    const made: string[] = []
    const ask = (method: string, path: string, body?: unknown): Promise<unknown> =>
      linked.evaluate(
        async ([how, where, what]) => {
          const key = localStorage.getItem('wes-session') ?? ''
          const answer = await fetch(`/local/connections${where}`, {
            method: how!,
            headers: { 'x-wes-session': key, ...(what !== '' && { 'content-type': 'application/json' }) },
            ...(what !== '' && { body: what! }),
          })
          return answer.status === 204 ? null : ((await answer.json()) as unknown)
        },
        [method, path, body === undefined ? '' : JSON.stringify(body)],
      )
    await provide(async ({ name, address, token, isProduction = false }) => {
      const wanted = { name, address, token, isProduction, colour: 'teal', keep: 'run' }
      const { id } = (await ask('POST', '', wanted)) as { readonly id: string }
      made.push(id)
      return id
    })
    // A screen of a connection that is removed would still ask for its data.
    if (made.length > 0) await linked.goto(`${new URL(linked.url()).origin}/p/default/programs`)
    for (const id of made) await ask('DELETE', `/${id}`)
  },
  // oxlint-disable-next-line no-empty-pattern -- Playwright reads the names of the fixtures from the pattern
  serve: async ({}, provide) => {
    const servers: Server[] = []
    await provide(async (listener) => {
      const server = createServer(listener).listen(0, '127.0.0.1')
      servers.push(server)
      await once(server, 'listening')
      return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    })
    for (const server of servers) {
      server.closeAllConnections()
      server.close()
    }
  },
})

const badge = (page: Page) => page.getByRole('status', { name: 'Connection', exact: true })
const dialog = (page: Page, name = 'Connect to hosted') => page.getByRole('dialog', { name })

const fill = async (page: Page, { name, address, token, isProduction = false }: Connect): Promise<void> => {
  await dialog(page).getByLabel('Name').fill(name)
  await dialog(page).getByLabel('Address').fill(address)
  await dialog(page).getByLabel('Token').fill(token)
  if (isProduction) await dialog(page).getByRole('switch', { name: 'Production' }).click()
}

let names = 0
const newName = (what: string): string => `${what} ${process.pid} ${(names += 1)}`

test('connects, switches there and back, and shows neither the data of the other', async ({
  linked: page,
  hosted,
  admin,
  client,
  runtime,
}) => {
  test.slow()
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
    await axe(page)
    await takeScreenshots(page, 'connect', SMALL_SIZES)
  })
  await test.step('after connecting, the hosted service is shown, and the local runtime stays in the rail', async () => {
    await dialog(page).getByRole('button', { name: 'Connect', exact: true }).click()
    await expect(badge(page)).toHaveText(`Hosted · ${workspace.name}`)
    await expect(page).toHaveTitle(new RegExp(`^Executions – ${name} – `))
    await expect(page.getByRole('grid')).toContainText(there)
    await expect(page.getByText(here)).toHaveCount(0)
    await expect(page.getByRole('status', { name: 'Runtime' })).toHaveText('Local runtime ready')
    await expect(page.getByRole('status', { name: 'Service' })).toHaveText('Connected')
    await axe(page)
    await takeScreenshots(page, 'connected', SMALL_SIZES)
  })
  await test.step('the token is nowhere in the page, its storage and its addresses', async () => {
    const stored = await page.evaluate(() => JSON.stringify({ ...localStorage, ...sessionStorage }) + document.cookie)
    expect(stored + (await page.content()) + page.url()).not.toContain(hosted.token)
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
    await takeScreenshots(page, 'connection-menu', SMALL_SIZES)
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
    await takeScreenshots(page, 'connection-settings', SMALL_SIZES)
    await axe(page)
    await page.getByRole('button', { name: `Edit ${name}` }).click()
    await takeScreenshots(page, 'connection-edit', SMALL_SIZES)
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
  test.slow()
  allow(/status of 404/)
  const otherToken = await hosted.tokenOf('second')
  const other = createClient({ url: hosted.url, token: otherToken })
  const one = await saved({ name: newName('one'), address: hosted.url, token: hosted.token })
  const two = await saved({ name: newName('two'), address: hosted.url, token: otherToken })
  const project = await admin.createProject({ name: newName('only in one') })
  await other.createProject({ name: newName('only in two') })
  const origin = new URL(page.url()).origin

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
    await expect(dialog(page, 'Add variable')).toContainText(/Default on two/)
    await dialog(page, 'Add variable').getByLabel('Name').fill('API_KEY')
    await page.keyboard.press('ControlOrMeta+k')
    await expect(page.getByRole('dialog')).toHaveCount(1)
    await page.goBack()
    await expect(badge(page)).not.toHaveText(/second/)
    await expect(page.getByRole('heading', { name: 'Environment', level: 1 })).toBeVisible()
    await expect(page.getByRole('dialog')).toHaveCount(0)
  })
  // The project that was shown last belongs to the connection.
  await page.getByRole('link', { name: 'Executions' }).click()
  await page.goto(`${origin}/executions`)
  await expect(page.getByRole('button', { name: 'Project: Default' })).toBeVisible()
})

test('a wrong token is not saved, and a revoked one can be replaced', async ({
  linked: page,
  saved,
  hosted,
  admin,
  allow,
}) => {
  test.slow()
  allow(/status of 401/)
  await test.step('the test refuses a wrong one, and the field is empty', async () => {
    await page.getByRole('button', { name: 'Connect to hosted' }).click()
    await fill(page, { name: newName('wrong'), address: hosted.url, token: 'wes_no-such-token' })
    await dialog(page).getByRole('button', { name: 'Connect', exact: true }).click()
    await expect(dialog(page).getByRole('alert').first()).toContainText('The token was refused (revoked or expired)')
    await expect(dialog(page).getByLabel('Token')).toHaveValue('')
    await axe(page)
    await takeScreenshots(page, 'connect-refused', SMALL_SIZES)
    await page.keyboard.press('Escape')
  })
  const token = await admin.createToken({ name: 'for a while', role: 'read' })
  const name = newName('revoked')
  const id = await saved({ name, address: hosted.url, token: token.secret })
  await page.goto(`${new URL(page.url()).origin}/c/${id}/p/default/programs`)
  await expect(page.getByText('Token for a while (read)')).toBeVisible()

  await test.step('a token with the role read turns buttons off, and says why', async () => {
    const start = page.getByRole('button', { name: 'Start execution' })
    await expect(start).toHaveAttribute('aria-disabled', 'true')
    await expect(start).toHaveAccessibleDescription('Your token has the role read; this needs write')
    await expect(page.getByRole('button', { name: 'Deploy files' })).toHaveAttribute('aria-disabled', 'true')
  })
  await test.step('a revoked one is said in place of the data', async () => {
    await admin.revokeToken(token.id)
    const screen = page.getByRole('main').getByRole('heading', { name: 'The token was refused (revoked or expired)' })
    await expect(async () => {
      await page.reload()
      await expect(screen).toBeVisible({ timeout: 2_000 })
    }).toPass({ timeout: 20_000 })
    await axe(page)
    await takeScreenshots(page, 'connection-revoked', SMALL_SIZES)
  })
  await test.step('another token shows the data again', async () => {
    await page.getByRole('main').getByRole('button', { name: 'Replace token' }).click()
    await dialog(page, 'Replace token').getByLabel('Token').fill(hosted.token)
    await takeScreenshots(page, 'replace-token', SMALL_SIZES)
    await dialog(page, 'Replace token').getByRole('button', { name: 'Replace token' }).click()
    await expect(page.getByRole('main').getByRole('heading', { name: 'Programs', level: 1 })).toBeVisible()
    await expect(page.getByText(/Token .* \(admin\)/)).toBeVisible()
    await expect(page.getByRole('button', { name: 'Deploy files' })).not.toHaveAttribute('aria-disabled')
  })
})

test('a server that is not the service is named, and gets no token by a redirect', async ({
  linked: page,
  saved,
  serve,
  runtime,
  allow,
}) => {
  test.slow()
  allow(/status of 50\d/)
  const stolen: (string | undefined)[] = []
  const thief = await serve(({ headers }, answer) => {
    stolen.push(headers.authorization)
    answer.end('{}')
  })
  const redirecting = await serve((_, answer) => void answer.writeHead(302, { location: `${thief}/v1/whoami` }).end())
  const html = await serve((_, answer) => void answer.writeHead(200, { 'content-type': 'text/html' }).end('<p>Hi'))
  const closed = 'http://127.0.0.1:9'
  const token = 'wes_a-token-of-the-test'
  const { origin } = new URL(page.url())

  const cases = [
    ['redirecting', redirecting, /redirects elsewhere/],
    ['html', html, /is not the service/],
    ['local', runtime.url, /Another service answers/],
    ['closed', closed, /cannot be reached/],
  ] as const
  for (const [what, address, title] of cases) {
    await test.step(what, async () => {
      const id = await saved({ name: newName(what), address, token })
      await page.goto(`${origin}/c/${id}/p/default/programs`)
      await expect(page.getByRole('main').getByRole('heading', { name: title })).toBeVisible()
      await expect(page.getByRole('main').getByRole('button', { name: 'Edit connection' })).toBeVisible()
      await axe(page)
      await takeScreenshots(page, `connection-${what}`, SMALL_SIZES)
    })
  }
  expect(stolen).toEqual([])

  await test.step('the dialog says it before it saves', async () => {
    await page.getByRole('main').getByRole('button', { name: 'Go to local' }).click()
    await expect(badge(page)).toHaveText('Local')
    await page.getByRole('button', { name: 'Connect to hosted' }).click()
    await fill(page, { name: newName('html'), address: html, token })
    await page.getByRole('button', { name: 'Test connection' }).click()
    await expect(dialog(page).getByRole('alert').first()).toContainText('is not the service')
    await dialog(page).getByLabel('Address').fill(closed)
    await dialog(page).getByRole('button', { name: 'Connect', exact: true }).click()
    await expect(dialog(page).getByRole('button', { name: 'Save anyway' })).toBeVisible()
    await axe(page)
  })
})

test('on production, a cancel asks for the name of the connection', async ({ linked: page, saved, hosted, admin }) => {
  test.slow()
  await admin.deployProgram(artifact('approval'))
  const execution = await admin.start('approval', { requester: 'Ada', cents: 1 })
  const name = newName('prod')
  const id = await saved({ name, address: hosted.url, token: hosted.token, isProduction: true })
  await page.goto(`${new URL(page.url()).origin}/c/${id}/p/default/executions/${execution.id}`)
  await expect(page.getByText('Production', { exact: true })).toBeVisible()
  await expect(page.locator('[data-production-edge]')).toBeVisible()
  await page.getByRole('main').getByRole('button', { name: 'Cancel execution' }).click()
  const asked = page.getByRole('dialog', { name: 'Cancel execution' })
  await expect(asked).toContainText(`This is production: ${name}`)
  await takeScreenshots(page, 'connection-production', SMALL_SIZES)
  await axe(page)
  const act = asked.getByRole('button', { name: 'Cancel execution' })
  await expect(act).toHaveAttribute('aria-disabled', 'true')
  await asked.getByLabel(`Type “${name}” to confirm`).fill(name)
  await act.click()
  await expect.poll(async () => (await admin.getExecution(execution.id)).status).toBe('cancelled')
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

test('a link to an unknown connection offers to add it under its name', async ({ linked: page, hosted, admin }) => {
  const { workspace } = await admin.whoAmI()
  const { origin } = new URL(page.url())
  await page.goto(`${origin}/c/elsewhere/p/default/programs`)
  await expect(page.getByRole('heading', { name: 'Connection not found', level: 1 })).toBeVisible()
  await expect(page.getByRole('main')).toContainText('elsewhere, which you do not have')
  await axe(page)
  await takeScreenshots(page, 'connection-unknown', SMALL_SIZES)
  await page.getByRole('button', { name: 'Connect to hosted' }).click()
  await expect(dialog(page).getByLabel('Name')).toHaveValue('elsewhere')
  await dialog(page).getByLabel('Address').fill(hosted.url)
  await dialog(page).getByLabel('Token').fill(hosted.token)
  await dialog(page).getByRole('button', { name: 'Connect', exact: true }).click()
  await expect(badge(page)).toHaveText(`Hosted · ${workspace.name}`)
  await expect(page).toHaveURL(`${origin}/c/elsewhere/p/default/programs`)
  await expect(page.getByRole('heading', { name: 'Programs', level: 1 })).toBeVisible()
})

test('without a session, the page says how to get one, and asks for no token', async ({ page, runtime, allow }) => {
  allow(/status of 401/)
  await page.goto(`${runtime.url}/#code=used-before`)
  await expect(page.getByText('The link opens no session').first()).toBeVisible()
  await page.getByRole('button', { name: 'Connect to hosted' }).click()
  await expect(dialog(page)).toContainText('This link has been used or is older than 10 minutes.')
  await expect(dialog(page).getByLabel('Token')).toHaveCount(0)
  await axe(page)
  await takeScreenshots(page, 'connect-no-session', SMALL_SIZES)
})
