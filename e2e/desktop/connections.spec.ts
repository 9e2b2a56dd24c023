// The desktop app with hosted services: a real `wes serve`, and servers that are none. The token is in the encrypted store
// and nowhere else.

import type { ElectronApplication, Page } from '@playwright/test'
import { once } from 'node:events'
import { readFileSync, statSync } from 'node:fs'
import { createServer, type IncomingMessage, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import type { ConnectionList, NewConnection } from '../../src-runtime/connections/models.ts'
import { createClient, type ServiceClient } from '../../src-sdk/create-client.ts'
import { type ServeProcess, startServeProcess } from '../serve-process.test-support.ts'
import type { DesktopHome } from './desktop-home.ts'
import { CUT_OFF, expect, test as base } from './launch.ts'
import { clickMenu, clickTray } from './platform.ts'
import { FAILS, HELLO } from './programs.ts'
import { filesWith, heapOf, processesWith, profilesOf, shownAndStored } from './token-search.test-support.ts'

type Hosted = ServeProcess & { readonly admin: ServiceClient }
type Handle = (handle: RequestListener) => Promise<string>

const test = base.extend<{ readonly serve: Handle }, { readonly hosted: Hosted }>({
  hosted: [
    // oxlint-disable-next-line no-empty-pattern -- Playwright reads the names of the fixtures from the pattern
    async ({}, provide) => {
      const service = await startServeProcess()
      const admin = createClient({ url: service.url, token: service.token })
      await admin.deployProgram(HELLO)
      await provide({ ...service, admin })
      await service.dispose()
    },
    { scope: 'worker', timeout: 60_000 },
  ],
  /** Starts a server for this test. Returns its address. */
  // oxlint-disable-next-line no-empty-pattern -- as above
  serve: async ({}, provide) => {
    const ends: (() => void)[] = []
    await provide(async (handle) => {
      const server = createServer(handle).listen(0, '127.0.0.1')
      await once(server, 'listening')
      ends.push(() => {
        server.closeAllConnections()
        server.close()
      })
      return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    })
    for (const end of ends) end()
  },
})

/** Chromium logs each refused request. */
const REFUSED = /status of (401|403|404|502|503) .*\/(hosted|local)\//

const badge = (page: Page) => page.getByRole('status', { name: 'Connection' })
const newToken = async ({ admin }: Hosted, expiresAt?: Date) =>
  admin.createToken({ name: `of a test`, role: 'admin', ...(expiresAt && { expiresAt }) })

/** Types like a user, so that no script of the test keeps the text in the page's memory. */
const type = async (page: Page, label: string, text: string): Promise<void> => {
  await page.getByRole('dialog').getByLabel(label, { exact: true }).click()
  await page.keyboard.insertText(text)
}

/** What the dialogs send. */
const add = (page: Page, { name, address, token, keep = 'stored' }: Partial<NewConnection>): Promise<number> =>
  page.evaluate(
    async (body) => {
      const headers = { 'content-type': 'application/json' }
      return (await fetch('/local/connections', { method: 'POST', headers, body: JSON.stringify(body) })).status
    },
    { name, address, token, keep, colour: 'teal', isProduction: false },
  )

const list = (page: Page): Promise<ConnectionList> =>
  page.evaluate(async () => (await fetch('/local/connections')).json() as Promise<ConnectionList>)

/** The status and the code or the workspace of an answer through a connection. */
const whoAmI = (page: Page, id: string): Promise<string> =>
  page.evaluate(async (connection) => {
    const answer = await fetch(`/hosted/${connection}/v1/whoami`)
    const { error, workspace } = (await answer.json()) as {
      readonly error?: { readonly code: string }
      readonly workspace?: { readonly name: string }
    }
    return `${answer.status} ${error?.code ?? workspace?.name}`
  }, id)

/** The labels of the connections in the menu; the marked one in brackets. */
const menuOf = (electronApp: ElectronApplication): Promise<readonly string[]> =>
  electronApp.evaluate(({ Menu }) =>
    Menu.getApplicationMenu()!
      .getMenuItemById('connection')!
      .submenu!.items.filter((item) => item.type === 'radio')
      .map(({ label, checked }) => (checked ? `[${label}]` : label)),
  )

const storedOf = ({ userData }: DesktopHome) =>
  JSON.parse(readFileSync(join(userData, 'connections.json'), 'utf8')) as {
    readonly connections: readonly object[]
    readonly tokens: Readonly<Record<string, string>>
  }

test('a connection is made, switched to, renamed and removed, and its token is only in the encrypted store', async ({
  allow,
  engine,
  home,
  hosted,
  launch,
  startAgain,
}) => {
  allow(REFUSED)
  allow(CUT_OFF)
  const { secret } = await newToken(hosted)
  const execution = await hosted.admin.start('hello', { name: 'Ada' })
  const first = await launch()
  const { electronApp } = first
  const page = await first.page()
  const dialog = page.getByRole('dialog', { name: 'Connect to hosted' })

  await test.step('a wrong token is refused, and its field cleared', async () => {
    await clickMenu(electronApp, 'connect-to-hosted')
    await type(page, 'Name', 'Acme')
    await type(page, 'Address', hosted.url)
    await type(page, 'Token', `${secret.slice(0, -3)}xyz`)
    await dialog.getByRole('button', { name: 'Connect', exact: true }).click()
    await expect(dialog.getByText('The token was refused', { exact: false }).first()).toBeVisible()
    await expect(dialog.getByLabel('Token', { exact: true })).toHaveValue('')
  })

  await test.step('the right one connects, and menus mark what is shown', async () => {
    await type(page, 'Token', secret)
    await dialog.getByRole('button', { name: 'Connect', exact: true }).click()
    await expect(badge(page)).toHaveText('Hosted · default')
    await expect.poll(() => menuOf(electronApp)).toEqual(['Local', '[Acme]'])
    await clickMenu(electronApp, 'connection-local')
    await expect(badge(page)).toHaveText('Local')
    await expect.poll(() => menuOf(electronApp)).toEqual(['[Local]', 'Acme'])
    await clickTray(electronApp, 'tray-connection-acme')
    await expect(badge(page)).toHaveText('Hosted · default')
    await clickMenu(electronApp, 'go-programs')
    await expect(page.getByRole('main')).toContainText('hello')
    await expect(badge(page)).toHaveText('Hosted · default')
  })

  await test.step('renamed, it is found by its new name in a link', async () => {
    await clickMenu(electronApp, 'settings')
    await page.getByRole('button', { name: 'Edit Acme' }).click()
    const edit = page.getByRole('dialog', { name: 'Edit connection' })
    await edit.getByLabel('Name', { exact: true }).fill('Acme & Söhne')
    await edit.getByRole('button', { name: 'Save' }).click()
    await expect.poll(() => menuOf(electronApp)).toEqual(['Local', '[Acme && Söhne]'])
    await clickMenu(electronApp, 'connection-local')
    await expect(badge(page)).toHaveText('Local')
    const link = `wes://executions/${execution.id}?connection=${encodeURIComponent('acme & söhne')}`
    expect(await startAgain(link)).toBe(0)
    await expect(page).toHaveURL(new RegExp(`/c/acme/p/[^/]+/executions/${execution.id}`))
    await expect(page.getByRole('main')).toContainText('hello')
  })

  await test.step('a link to a connection that is not here offers to add it', async () => {
    expect(await startAgain(`wes://executions/${execution.id}?connection=Other%20One`)).toBe(0)
    await expect(page.getByRole('main')).toContainText('Other One')
    await expect(page.getByRole('main').getByRole('button', { name: 'Connect to hosted' })).toBeVisible()
    await expect.poll(() => menuOf(electronApp)).toEqual(['Local', 'Acme && Söhne'])
  })

  await test.step('a failure of the local runtime opens there', async () => {
    await clickMenu(electronApp, 'connection-acme')
    await expect(badge(page)).toHaveText('Hosted · default')
    await home.client.deployProgram(FAILS)
    const { id } = await home.client.start('fails')
    const item = () => electronApp.evaluate(() => desktopRecord.trayMenu?.getMenuItemById('tray-failure-1')?.label)
    await expect.poll(item).toContain('fails')
    await clickTray(electronApp, 'tray-failure-1')
    await expect(page).toHaveURL(new RegExp(`/executions/${id}`))
    await expect(badge(page)).toHaveText('Local')
    await expect(page.getByRole('main')).toContainText('no money')
    await clickMenu(electronApp, 'connection-acme')
    await expect(badge(page)).toHaveText('Hosted · default')
  })

  await test.step('the token is in no memory, storage, address, log, argument or variable', async () => {
    const part = secret.slice(4, 36)
    await page.evaluate(() => Object.assign(globalThis, { control: ['in', 'memory', 'of the page'].join(' ') }))
    const heap = await heapOf(page)
    expect(heap).toContain('in memory of the page')
    expect(heap).not.toContain(part)
    expect(await shownAndStored(page)).not.toContain(part)
    const diagnostics = await page.evaluate(() => wesDesktop.diagnostics())
    expect(diagnostics).toContain(`connection "Acme & Söhne": ${new URL(hosted.url).host}, its token: keychain`)
    expect(diagnostics).not.toContain(part)
    expect(await page.evaluate(async () => (await fetch('/local/connections')).text())).not.toContain(part)
    expect(processesWith(electronApp, secret)).toEqual([])
    if (process.platform === 'linux') expect(processesWith(electronApp, home.userData)).not.toEqual([])
    for (const profile of profilesOf(electronApp)) expect(filesWith(profile, secret)).toEqual([])
  })
  await first.quit()

  await test.step('on the disk there is only its encrypted text, for the user alone', async () => {
    expect(filesWith(home.folder, secret)).toEqual([])
    expect(statSync(join(home.userData, 'connections.json')).mode & 0o777).toBe(0o600)
    const { tokens } = storedOf(home)
    expect(Object.keys(tokens)).toEqual(['acme'])
    expect(filesWith(home.folder, tokens['acme']!)).toEqual([join(home.userData, 'connections.json')])
    if (engine === 'stand-in') expect(Buffer.from(tokens['acme']!, 'base64').toString('latin1')).toMatch(/^v11/)
  })

  await test.step('it is kept by a restart, and removed with its connection', async () => {
    const second = await launch()
    const again = await second.page()
    await clickMenu(second.electronApp, 'connection-acme')
    await expect(badge(again)).toHaveText('Hosted · default')
    await clickMenu(second.electronApp, 'settings')
    await again.getByRole('button', { name: 'Edit Acme' }).click()
    await again.getByRole('dialog').getByRole('button', { name: 'Remove…' }).click()
    await again.getByRole('button', { name: 'Remove connection' }).click()
    await expect(badge(again)).toHaveText('Local')
    await expect.poll(() => menuOf(second.electronApp)).toEqual(['[Local]'])
    expect(storedOf(home)).toEqual({ connections: [], tokens: {} })
    expect(await whoAmI(again, 'acme')).toBe('404 connection_not_found')
  })
})

test('without a keychain the user is asked, and a token of this run ends with it', async ({
  allow,
  engine,
  home,
  hosted,
  launch,
}) => {
  test.skip(engine !== 'stand-in', 'the keychain of a real desktop cannot be selected')
  allow(REFUSED)
  allow(CUT_OFF)
  const { secret } = await newToken(hosted)
  const env = { STANDIN_SAFE_STORAGE: 'basic_text' }
  const first = await launch({ env })
  const page = await first.page()
  await clickMenu(first.electronApp, 'connect-to-hosted')
  await type(page, 'Name', 'Acme')
  await type(page, 'Address', hosted.url)
  await type(page, 'Token', secret)
  const dialog = page.getByRole('dialog', { name: 'Connect to hosted' })
  await expect(dialog.getByText('Your system has no keychain', { exact: false })).toBeVisible()
  await expect(dialog.getByRole('radio', { name: 'Keep it for this run' })).toBeChecked()
  await dialog.getByRole('button', { name: 'Connect', exact: true }).click()
  await expect(badge(page)).toHaveText('Hosted · default')
  expect(await add(page, { name: 'Stored', address: hosted.url, token: secret })).toBe(201)
  await first.quit()

  expect(filesWith(home.folder, secret)).toEqual([])
  expect(Object.keys(storedOf(home).tokens)).toEqual(['stored'])
  const again = await (await launch({ env })).page()
  const { items, storing } = await list(again)
  expect([storing, ...items.map(({ name, token }) => `${name} ${token}`)]).toEqual([
    'obfuscated',
    'Acme none',
    'Stored obfuscated',
  ])
  expect(await whoAmI(again, 'acme')).toBe('401 token_missing')
  expect(await whoAmI(again, 'stored')).toBe('200 default')
})

test('several services answer at once, and each that does not is named', async ({
  allow,
  hosted,
  home,
  page,
  serve,
}) => {
  allow(REFUSED)
  allow(/net::ERR_/)
  const expiresAt = new Date(Date.now() + 8_000)
  const [revoked, expired] = [await newToken(hosted), await newToken(hosted, expiresAt)]
  const { secret } = await newToken(hosted)
  const HEALTH = { service: 'workflow-execution-service', mode: 'hosted', version: '0.1.0' }
  const json = { 'content-type': 'application/json' }
  const seen: IncomingMessage['headers'][] = []
  const elsewhere = await serve(({ headers }, answer) => {
    seen.push(headers)
    answer.writeHead(200, json).end('{}')
  })
  /** Looks like a hosted service until it is asked with a token. */
  const onceTrusted =
    (handle: RequestListener): RequestListener =>
    (request, answer) => {
      if (request.url === '/healthz') answer.writeHead(200, json).end(JSON.stringify(HEALTH))
      else handle(request, answer)
    }
  let release = (): void => undefined
  const slow: RequestListener = (_request, answer) => {
    release = () => void answer.writeHead(200, json).end('{"workspace":{"name":"slow"}}')
  }
  const addresses = {
    redirects: await serve(
      onceTrusted(({ url }, answer) => void answer.writeHead(308, { location: elsewhere + url }).end()),
    ),
    html: await serve(
      onceTrusted((_request, answer) => void answer.writeHead(200, { 'content-type': 'text/html' }).end('<p>')),
    ),
    slow: await serve(onceTrusted(slow)),
    another: elsewhere,
    down: 'http://127.0.0.1:1',
    local: home.url,
  }
  for (const [name, address] of Object.entries(addresses)) {
    expect(await add(page, { name: `is ${name}`, address, token: secret })).toBe(201)
  }
  for (const [name, token] of [
    ['One', secret],
    ['Other', await hosted.tokenOf('other')],
    ['Revoked', revoked.secret],
    ['Expired', expired.secret],
    ['Wrong', `${secret.slice(0, -3)}xyz`],
  ]) {
    expect(await add(page, { name: name!, address: hosted.url, token: token! })).toBe(201)
  }
  await hosted.admin.revokeToken(revoked.id)

  const waiting = whoAmI(page, 'is-slow')
  expect(await Promise.all(['one', 'other', 'one', 'other'].map((id) => whoAmI(page, id)))).toEqual([
    '200 default',
    '200 other',
    '200 default',
    '200 other',
  ])
  release()
  expect(await waiting).toBe('200 slow')
  for (const [id, expected] of [
    ['is-redirects', '502 redirected'],
    ['is-html', '502 not_the_service'],
    ['is-another', '502 wrong_service'],
    ['is-down', '503 unreachable'],
    ['is-local', '502 wrong_service'],
    ['wrong', '401 unauthorized'],
    ['nothing', '404 connection_not_found'],
  ]) {
    expect(`${id} ${await whoAmI(page, id!)}`).toBe(`${id} ${expected}`)
  }
  for (const id of ['revoked', 'expired']) {
    await expect.poll(() => whoAmI(page, id), { timeout: 20_000 }).toBe('401 unauthorized')
  }
  expect(JSON.stringify(seen)).not.toContain('wes_')
  // Neither its port nor another page gets anything of them.
  expect((await fetch(`${home.url}/local/connections`)).status).toBe(404)
  expect((await fetch(`${home.url}/hosted/one/v1/whoami`)).status).toBe(404)
})
