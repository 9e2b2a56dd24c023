// The desktop app with hosted services: a real `wes serve`, and servers that are none. The token is in the encrypted store
// and nowhere else.

import { existsSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { HEALTH, sendJson } from '#runtime/connections/scripted-service.test-support.ts'
import { add, badge, menuOf, newToken, REFUSED, storedOf, test, type, whoAmI } from './connections.test-support.ts'
import { CUT_OFF, expect } from './launch.ts'
import { clickMenu, clickTray } from './platform.ts'
import { FAILS } from './programs.ts'
import {
  filesWith,
  heapOf,
  outputOf,
  processesWith,
  profilesOf,
  recordSavedFiles,
  savedFiles,
  shownAndStored,
} from './token-search.test-support.ts'

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
  const printed = outputOf(electronApp)
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

  await test.step('a low window has room for all screens of the rail', async () => {
    await page.setViewportSize({ width: 911, height: 512 })
    const links = page.getByRole('navigation', { name: 'Main' }).getByRole('link')
    await expect(links.last()).toHaveText('Settings')
    for (const link of [links.first(), links.last()]) await expect(link).toBeInViewport({ ratio: 1 })
    await expect(page.getByRole('button', { name: 'Stop runtime', exact: true })).toBeInViewport({ ratio: 1 })
    await page.setViewportSize({ width: 1280, height: 800 })
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
    if (process.platform === 'linux') expect(processesWith(electronApp, home.folder)).not.toEqual([])
    const profiles = profilesOf(electronApp)
    if (engine === 'stand-in') expect(profiles).toHaveLength(1)
    for (const profile of profiles) expect(filesWith(profile, secret)).toEqual([])
  })

  await test.step('it is in nothing that the page exports', async () => {
    await recordSavedFiles(page)
    await clickMenu(electronApp, 'connection-acme')
    await page.getByRole('link', { name: 'Usage' }).click()
    await page.getByRole('button', { name: 'Download CSV' }).click()
    await expect.poll(() => savedFiles(page)).toHaveLength(1)
    await clickMenu(electronApp, 'settings')
    await page.getByRole('button', { name: 'Diagnostics…' }).click()
    await page.getByRole('button', { name: 'Save as a file' }).click()
    await expect.poll(() => savedFiles(page)).toHaveLength(2)
    const saved = (await savedFiles(page)).join()
    expect(saved).toContain('connection "Acme & Söhne"')
    expect(saved).not.toContain(secret.slice(4, 36))
    await page.keyboard.press('Escape')
  })

  await test.step('it is not in what crashes leave, even if their errors have it', async () => {
    const profiles = profilesOf(electronApp)
    const log = join(home.userData, 'logs/wes.log')
    allow(/page error: .*on purpose/)
    await page.evaluate((text) => void setTimeout(() => void Promise.reject(new Error(`on purpose: ${text}`))), secret)
    await expect.poll(() => readFileSync(log, 'utf8')).toContain('on purpose')
    await electronApp.evaluate(async ({ BrowserWindow }) => {
      const { webContents } = BrowserWindow.getAllWindows()[0]!
      const loaded = new Promise<void>((resolve) => webContents.once('did-finish-load', () => resolve()))
      webContents.forcefullyCrashRenderer()
      await loaded
    })
    for (const profile of profiles) expect(filesWith(profile, secret)).toEqual([])

    const exited = new Promise<number | null>((resolve) => electronApp.process().once('exit', resolve))
    const errorBox = join(home.folder, 'error-box')
    await electronApp.evaluate(
      ({ dialog: dialogs }, { file, text }) => {
        dialogs.showErrorBox = (...said) => process.getBuiltinModule('node:fs').writeFileSync(file, said.join())
        const error = new Error(`no answer for Bearer ${text}`)
        const request = { headers: { authorization: `Bearer ${text}` }, token: text }
        setImmediate(() => void Promise.reject(Object.assign(error, { request, cause: new Error(text) })))
      },
      { file: errorBox, text: secret },
    )
    expect(await exited).toBe(1)
    for (const file of [log, errorBox]) expect(readFileSync(file, 'utf8')).toContain('no answer for Bearer')
    for (const profile of profiles) expect(existsSync(profile) ? filesWith(profile, secret) : []).toEqual([])
    expect(printed()).not.toContain(secret.slice(4, 36))
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

  await test.step('it is kept by a restart, of which a link says what to show, and removed with its connection', async () => {
    const second = await launch({ args: [`wes://executions/${execution.id}?connection=acme`] })
    const again = await second.page()
    await expect(badge(again)).toHaveText('Hosted · default')
    await expect(again).toHaveURL(new RegExp(`/c/acme/p/[^/]+/executions/${execution.id}`))
    await expect(again.getByRole('main')).toContainText('hello')
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

test('several services answer at once, and each that does not is named, with a way out', async ({
  allow,
  electronApp,
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
  const elsewhere = await serve(undefined, (answer) => sendJson(answer, {}))
  const redirecting = await serve((answer, { url }) => answer.writeHead(308, { location: elsewhere.url + url }).end())
  const html = await serve((answer) => answer.writeHead(200, { 'content-type': 'text/html' }).end('<p>'))
  const newer = await serve(undefined, (answer) => sendJson(answer, { ...HEALTH, version: '9.1.0' }))
  const silent = await serve(() => undefined)
  let release = (): void => undefined
  const slow = await serve((answer) => {
    release = () => sendJson(answer, { workspace: { name: 'slow' } })
  })
  const addresses = {
    silent: silent.url,
    redirects: redirecting.url,
    html: html.url,
    newer: newer.url,
    slow: slow.url,
    another: elsewhere.url,
    down: 'http://127.0.0.1:1',
    local: home.url,
  }
  for (const [name, address] of Object.entries(addresses)) {
    expect(await add(page, { name: `is ${name}`, address, token: secret })).toBe(201)
  }
  await clickMenu(electronApp, 'connection-is-silent')
  await expect(badge(page)).toHaveText('Hosted')
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
  for (const id of ['revoked', 'expired']) {
    await expect.poll(() => whoAmI(page, id)).toBe('401 unauthorized')
  }
  expect(await whoAmI(page, 'nothing')).toBe('404 connection_not_found')

  const main = page.getByRole('main')
  const [tokenWays, ways] = [
    ['Replace token', 'Go to local'],
    ['Try again', 'Edit connection', 'Go to local'],
  ]
  const faults = [
    ['is-silent', 504, 'too_slow', 'is silent does not answer in time', ways],
    ['is-redirects', 502, 'redirected', 'The address of is redirects redirects elsewhere', ways],
    ['is-html', 502, 'not_the_service', 'There is no Workflow Execution Service at the address of is html', ways],
    ['is-newer', 502, 'newer_service', 'is newer is newer than this app', ['Try again', 'Go to local']],
    ['is-another', 502, 'wrong_service', 'Another service answers at the address of is another', ways],
    ['is-local', 502, 'wrong_service', 'Another service answers at the address of is local', ways],
    ['is-down', 503, 'unreachable', 'is down cannot be reached', ways],
    ['wrong', 401, 'unauthorized', 'The token was refused (revoked or expired)', tokenWays],
    ['revoked', 401, 'unauthorized', 'The token was refused (revoked or expired)', tokenWays],
    ['expired', 401, 'unauthorized', 'The token was refused (revoked or expired)', tokenWays],
  ] as const
  for (const [id, status, code, title, buttons] of faults) {
    await test.step(id, async () => {
      // The screen of the silent one has been waiting for its time limit meanwhile.
      if (id !== 'is-silent') await clickMenu(electronApp, `connection-${id}`)
      await expect(main.getByRole('heading', { name: title })).toBeVisible()
      expect(await main.getByRole('region').getByRole('button').allTextContents()).toEqual(buttons)
      if (id !== 'is-silent') expect(await whoAmI(page, id)).toBe(`${status} ${code}`)
    })
  }
  expect(elsewhere.meant()).toEqual([])
  expect(newer.meant()).toEqual([])
  expect(JSON.stringify([elsewhere.seen, newer.seen])).not.toContain('wes_')
  // Neither its port nor another page gets anything of them.
  expect((await fetch(`${home.url}/local/connections`)).status).toBe(404)
  expect((await fetch(`${home.url}/hosted/one/v1/whoami`)).status).toBe(404)
})
