// What the dashboard of a real `wes dev` says of a connection that does not work, and who gets nothing from it: wrong,
// revoked and expired tokens of a real `wes serve`, servers that are none, and pages of other origins.

import type { ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { ReadableStream as NodeReadableStream } from 'node:stream/web'
import type { Page } from '@playwright/test'
import { HEALTH, sendJson } from '#runtime/connections/scripted-service.test-support.ts'
import { badge, dialog, fill, newName, test } from './connections.test-support.ts'
import { axe, expect } from './fixtures.ts'
import { artifact } from './hosted-fixtures.ts'
import { takeNarrowScreenshots } from './screenshots.test-support.ts'

const TOKEN = 'wes_a-token-of-the-test'

/** What is shown in place of the data. */
const fault = (page: Page, title: RegExp | string) => page.getByRole('main').getByRole('heading', { name: title })
const waysOut = (page: Page) => page.getByRole('main').getByRole('region').getByRole('button').allTextContents()

test('a wrong token is not saved, and a revoked one can be replaced', async ({
  linked: page,
  saved,
  hosted,
  admin,
  allow,
}) => {
  allow(/status of 401/)
  await test.step('the test refuses a wrong one, and the field is empty', async () => {
    await page.getByRole('button', { name: 'Connect to hosted' }).click()
    await fill(page, { name: newName('wrong'), address: hosted.url, token: 'wes_no-such-token' })
    await dialog(page).getByRole('button', { name: 'Connect', exact: true }).click()
    await expect(dialog(page).getByRole('alert').first()).toContainText(
      /^The token was refused.* says that it is wrong/,
    )
    await expect(dialog(page).getByLabel('Token')).toHaveValue('')
    await axe(page)
    await takeNarrowScreenshots(page, 'connect-refused')
    await dialog(page).getByRole('button', { name: 'Close' }).last().click()
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
      await expect(screen).toBeVisible({ timeout: 10_000 })
    }).toPass({ timeout: 60_000 })
    await axe(page)
    await takeNarrowScreenshots(page, 'connection-revoked')
  })
  await test.step('another token shows the data again', async () => {
    await page.getByRole('main').getByRole('button', { name: 'Replace token' }).click()
    await dialog(page, 'Replace token').getByLabel('Token').fill(hosted.token)
    await takeNarrowScreenshots(page, 'replace-token')
    await dialog(page, 'Replace token').getByRole('button', { name: 'Replace token' }).click()
    await expect(page.getByRole('main').getByRole('heading', { name: 'Programs', level: 1 })).toBeVisible()
    await expect(page.getByText(/Token .* \(admin\)/)).toBeVisible()
    await expect(page.getByRole('button', { name: 'Deploy files' })).not.toHaveAttribute('aria-disabled')
  })
})

test('a server that is not the service is named with a way out, and gets no token by a redirect', async ({
  linked: page,
  saved,
  serve,
  runtime,
  allow,
}) => {
  allow(/status of (?:400|50\d)/)
  const thief = await serve((answer) => sendJson(answer, {}))
  const redirecting = await serve((answer) => answer.writeHead(308, { location: `${thief.url}/v1/whoami` }).end())
  const html = await serve((answer) => answer.writeHead(200, { 'content-type': 'text/html' }).end('<p>Sign in'))
  const newer = await serve(undefined, (answer) => sendJson(answer, { ...HEALTH, version: '9.1.0' }))
  const closed = 'http://127.0.0.1:9'
  const { origin } = new URL(page.url())

  const edit = ['Try again', 'Edit connection', 'Go to local']
  const cases = [
    ['redirecting', redirecting.url, 'redirects elsewhere', `redirects to ${thief.url}. The redirect was not followed`],
    [
      'html',
      html.url,
      'There is no Workflow Execution Service at',
      'answers with a web page (status 200) instead of its API',
    ],
    ['local', runtime.url, 'Another service answers', 'is a local runtime, not a hosted service. Check the address.'],
    ['newer', newer.url, 'is newer than this app', 'has version 9.1.0, which is newer than this app knows. Update'],
    ['closed', closed, 'cannot be reached', 'nothing accepts connections at 127.0.0.1:9. Is the service running?'],
  ] as const
  for (const [what, address, title, sentence] of cases) {
    await test.step(what, async () => {
      const id = await saved({ name: newName(what), address, token: TOKEN })
      await page.goto(`${origin}/c/${id}/p/default/programs`)
      await expect(fault(page, new RegExp(title))).toBeVisible()
      await expect(page.getByRole('main').getByRole('alert')).toContainText(sentence)
      expect(await waysOut(page)).toEqual(what === 'newer' ? ['Try again', 'Go to local'] : edit)
      await expect(page.getByRole('status', { name: 'Service' })).toHaveText('Not connected')
      await axe(page)
      await takeNarrowScreenshots(page, `connection-${what}`)
    })
  }
  expect(redirecting.meant().at(-1)?.headers.authorization).toBe(`Bearer ${TOKEN}`)
  expect(thief.seen).toEqual([])
  expect(newer.meant()).toEqual([])

  await test.step('the dialog says it before it saves', async () => {
    await page.getByRole('main').getByRole('button', { name: 'Go to local' }).click()
    await expect(badge(page)).toHaveText('Local')
    await page.getByRole('button', { name: 'Connect to hosted' }).click()
    await page.getByRole('button', { name: 'Test connection' }).click()
    await expect(dialog(page).getByLabel('Address')).toBeFocused()
    await expect(dialog(page).getByText(/^Enter /), 'a test needs no name').toHaveText([
      'Enter the address of the service',
      'Enter a token',
    ])
    await fill(page, { name: newName('html'), address: html.url, token: TOKEN })
    await expect(dialog(page).getByText(/^Enter /)).toHaveCount(0)
    await page.getByRole('button', { name: 'Test connection' }).click()
    await expect(dialog(page).getByRole('alert').first()).toContainText('There is no Workflow Execution Service at')
    await dialog(page).getByLabel('Address').fill(closed)
    await dialog(page).getByRole('button', { name: 'Connect', exact: true }).click()
    await expect(dialog(page).getByRole('button', { name: 'Save anyway' })).toBeVisible()
    await dialog(page).getByLabel('Address').fill('http://wes.example.com')
    await page.getByRole('button', { name: 'Test connection' }).click()
    await expect(dialog(page).getByLabel('Address')).toHaveAccessibleDescription(/must begin with https:/)
    const said = dialog(page).getByRole('alert').filter({ hasText: /./ })
    await expect(said, 'once, at the field').toHaveText(/must begin with https:/)
    await axe(page)
  })
})

test('a token that expires and a service that is slow are named while their screens are open', async ({
  linked: page,
  saved,
  serve,
  hosted,
  admin,
  link,
  browser,
  allow,
}) => {
  allow(/status of (401|504)/)
  const { origin } = new URL(page.url())
  const slowName = newName('slow')
  await admin.deployProgram(artifact('hello'))
  let isBusy = true
  let waitingFor = ''
  const slow = await serve((answer, { url, headers: { authorization = '' } }) => {
    if (isBusy) waitingFor = url
    else void passOn(`${hosted.url}${url}`, authorization, answer)
  })
  const slowId = await saved({ name: slowName, address: slow.url, token: hosted.token })

  const soonOver = await admin.createToken({
    name: 'soon over',
    role: 'read',
    // Late enough for the page to load on a slow machine. The slow service is looked at meanwhile.
    expiresAt: new Date(Date.now() + 40_000),
  })
  const id = await saved({ name: newName('expires'), address: hosted.url, token: soonOver.secret })
  await page.goto(`${origin}/c/${id}/p/default/programs`)
  await expect(page.getByText('Token soon over (read)')).toBeVisible()

  const other = await browser.newContext()
  const slowPage = await other.newPage()
  await slowPage.goto(await link())
  await expect(badge(slowPage)).toHaveText('Local')
  await slowPage.goto(`${origin}/c/${slowId}/p/default/programs`)

  await test.step('after ten seconds, the slow one says what it waits for; then, that it is too slow', async () => {
    await expect(slowPage.getByText('Still loading the Programs.')).toBeVisible()
    await expect(slowPage.getByRole('button', { name: 'Switch to local' })).toBeVisible()
    await expect(fault(slowPage, `${slowName} does not answer in time`)).toBeVisible()
    expect(await waysOut(slowPage)).toEqual(['Try again', 'Edit connection', 'Go to local'])
    await axe(slowPage)
    await takeNarrowScreenshots(slowPage, 'connection-slow')
  })
  await test.step('when it answers again, another try shows the data, also while one gets no answer', async () => {
    const tryAgain = slowPage.getByRole('main').getByRole('button', { name: 'Try again' })
    waitingFor = ''
    await tryAgain.click()
    await expect.poll(() => waitingFor).toContain('/v1/programs')
    isBusy = false
    const shown = expect(slowPage.getByRole('table', { name: 'Programs' })).toContainText('hello')
    // The page tries by itself as well, and may be quicker.
    await Promise.race([tryAgain.click().catch(() => undefined), shown])
    await shown
  })
  await other.close()

  await test.step('the screen keeps its data when the token expires, and says so', async () => {
    await expect(page.getByRole('status', { name: 'Service' })).toContainText('Token refused')
    await expect(page.getByRole('status', { name: 'Availability' })).toContainText(
      /The token was refused \(revoked or expired\)\. Showing data from \d/,
    )
    await axe(page)
    await takeNarrowScreenshots(page, 'connection-expired')
    await page.getByRole('status', { name: 'Availability' }).getByRole('button', { name: 'Replace token' }).click()
    await expect(dialog(page, 'Replace token')).toBeVisible()
    await page.reload()
    await expect(fault(page, 'The token was refused (revoked or expired)')).toBeVisible()
    expect(await waysOut(page)).toEqual(['Replace token', 'Go to local'])
  })
})

test('a service that ends while it is shown is named, and followed again once it is back', async ({
  linked: page,
  saved,
  hosted,
  admin,
  allow,
}) => {
  allow(/status of 50\d|ERR_INCOMPLETE_CHUNKED_ENCODING/)
  await admin.deployProgram(artifact('hello'))
  const name = newName('ends')
  const id = await saved({ name, address: hosted.url, token: hosted.token })
  const notice = page.getByRole('status', { name: 'Availability' })
  const service = page.getByRole('status', { name: 'Service' })
  const programs = page.getByRole('table', { name: 'Programs' })
  await page.goto(`${new URL(page.url()).origin}/c/${id}/p/default/programs`)
  await expect(service).toHaveText('Connected')
  await expect(programs).toContainText('hello')
  await hosted.kill()
  await expect(notice).toContainText(new RegExp(`${name} cannot be reached\\. Showing data from \\d`))
  await expect(service).toContainText('Not connected')
  await page.getByRole('button', { name: 'Switch to local' }).click()
  await expect(page.getByRole('status', { name: 'Runtime' })).toHaveText('Runtime ready')
  await page.goBack()
  await page.reload()
  await expect(fault(page, `${name} cannot be reached`)).toBeVisible()
  await hosted.start()
  await expect(service).toHaveText('Connected')
  await expect(programs).toContainText('hello')
  await expect(notice).toBeEmpty()
})

for (const [what, status, code, message] of [
  ['refuses access', 403, 'forbidden', 'The workspace is closed.'],
  ['answers with an error', 500, 'internal', 'The database is full.'],
] as const) {
  test(`a service that ${what} is not said to be silent`, async ({ linked: page, saved, serve, allow }) => {
    allow(new RegExp(`status of ${status}`))
    const failing = await serve((answer) => sendJson(answer, { error: { code, message } }, status))
    const id = await saved({ name: newName('failing'), address: failing.url, token: TOKEN })
    await page.goto(`${new URL(page.url()).origin}/c/${id}/p/default/programs`)
    await expect(page.getByRole('main').getByRole('alert')).toContainText(message)
    await expect(page.getByRole('status', { name: 'Service' })).toHaveText('Service error')
    await expect(page.getByRole('status', { name: 'Availability' })).toHaveText(new RegExp(`^${message}`))

    await page.getByRole('button', { name: 'Switch connection' }).click()
    await page.getByRole('menuitem', { name: 'Connect to hosted' }).click()
    await fill(page, { name: newName('failing'), address: failing.url, token: TOKEN })
    await dialog(page).getByRole('button', { name: 'Test connection' }).click()
    const refusal = dialog(page).getByRole('alert').first()
    await expect(refusal).toContainText(`${new URL(failing.url).host} ${what}`)
    await expect(refusal).toContainText(message)
    await expect(dialog(page).getByRole('button', { name: 'Save anyway' })).toBeVisible()
  })
}

test('a page of another origin gets nothing, though the browser has a session', async ({
  browser,
  link,
  runtime,
  serve,
}) => {
  const service = await serve()
  const context = await browser.newContext()
  const own = await context.newPage()
  await own.goto(await link())
  await expect(badge(own)).toHaveText('Local')
  const key = await own.evaluate(() => localStorage.getItem('wes-session')!)
  const headers = { 'x-wes-session': key, 'content-type': 'application/json' }
  const wanted = { name: newName('kept'), address: service.url, token: TOKEN, isProduction: false }
  const body = JSON.stringify({ ...wanted, colour: 'blue', keep: 'run' })
  const connections = `${runtime.url}/local/connections`
  const { id } = (await (await fetch(connections, { method: 'POST', headers, body })).json()) as { readonly id: string }
  const read = async () => (await fetch(connections, { headers })).text()
  const before = await read()

  // The second has no origin at all, and so is a page of another site.
  for (const [what, sandbox] of Object.entries({ 'another port': undefined, 'a sandbox': 'sandbox allow-scripts' })) {
    await test.step(what, async () => {
      const elsewhere = await serve((answer) => {
        if (sandbox !== undefined) answer.setHeader('content-security-policy', sandbox)
        answer.writeHead(200, { 'content-type': 'text/html' }).end('<p>Free games')
      })
      const page = await context.newPage()
      await page.goto(elsewhere.url.replace('127.0.0.1', 'localhost'))
      const got = await page.evaluate(takeAll, { origin: runtime.url, id, key, url: service.url })
      expect(new Set(Object.values(got))).toEqual(new Set(['nothing']))
      expect(Object.keys(got).length).toBe(33)
      await page.close()
    })
  }
  expect(service.seen).toEqual([])
  expect(await read()).toBe(before)
  expect((await fetch(`${connections}/${id}`, { method: 'DELETE', headers })).status).toBe(204)
  await context.close()
})

/** Like a proxy. */
const passOn = async (url: string, authorization: string, answer: ServerResponse): Promise<void> => {
  const { status, headers, body } = await fetch(url, { headers: { authorization } })
  answer.writeHead(status, { 'content-type': headers.get('content-type') ?? 'application/json' })
  await pipeline(Readable.fromWeb(body as NodeReadableStream), answer).catch(() => undefined)
}

type Target = { readonly origin: string; readonly id: string; readonly key: string; readonly url: string }

/** Tries everything that a page may send to another origin. Runs in the page; answers what each of the tries got. */
const takeAll = async ({ origin, id, key, url }: Target): Promise<Readonly<Record<string, string>>> => {
  const got: Record<string, string> = {}
  const paths = ['/local/connections', `/local/connections/${id}/token`, `/hosted/${id}/v1/whoami`]
  const body = JSON.stringify({ token: 'wes_of-the-attacker', keep: 'run', address: url })
  const tries: readonly RequestInit[] = [
    {},
    { mode: 'no-cors', credentials: 'include' },
    { headers: { 'x-wes-session': key } },
    { method: 'POST', mode: 'no-cors', credentials: 'include', body },
    { method: 'PUT', headers: { 'x-wes-session': key, 'content-type': 'application/json' }, body },
    { method: 'DELETE', headers: { 'x-wes-session': key } },
  ]
  for (const path of paths) {
    for (const [number, how] of tries.entries()) {
      const answer = await fetch(origin + path, how).catch(() => undefined)
      const isReadable = answer !== undefined && answer.type !== 'opaque'
      got[`fetch ${number} of ${path}`] = isReadable ? await answer.text() : 'nothing'
    }
    const settled = (element: HTMLElement, name: string): Promise<void> =>
      new Promise((resolve) => {
        const end = (what: string) => () => {
          got[`${name} of ${path}`] = what
          element.remove()
          resolve()
        }
        element.addEventListener('load', end('an answer'))
        element.addEventListener('error', end('nothing'))
        document.body.append(element)
      })
    await settled(Object.assign(document.createElement('script'), { src: origin + path }), 'a script')
    await settled(Object.assign(new Image(), { src: origin + path }), 'an image')
    await settled(Object.assign(document.createElement('link'), { rel: 'stylesheet', href: origin + path }), 'a style')
    got[`events of ${path}`] = await new Promise((resolve) => {
      const events = new EventSource(origin + path, { withCredentials: true })
      events.addEventListener('open', () => resolve('events'))
      events.addEventListener('error', () => {
        events.close()
        resolve('nothing')
      })
    })
    const opened = window.open(origin + path)
    // Until the new page is loaded, it is a blank one of this origin.
    const isOther = (): boolean => {
      try {
        return opened?.location.href === undefined
      } catch {
        return true
      }
    }
    while (!isOther()) await new Promise((resolve) => setTimeout(resolve, 20))
    try {
      got[`a window of ${path}`] = opened === null ? 'nothing' : (opened.document.body.textContent ?? '')
    } catch {
      got[`a window of ${path}`] = 'nothing'
    }
    opened?.close()
  }
  return got
}
