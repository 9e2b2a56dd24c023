// What the dialogs of connections do when the user changes their fields, or closes them, while a request is under way. Who
// serves the page answers as the test says.

import type { Page } from '@playwright/test'
import { expect, test } from './fixtures.ts'

const SAVED = { id: 'x', name: 'X', address: 'https://x.example', colour: 'teal', isProduction: false, token: 'run' }
const FOUND = {
  whoAmI: {
    workspace: { id: 'w', name: 'acme' },
    token: { id: 't', name: 'n', role: 'admin', createdAt: '2026-11-20T12:00:00.000Z' },
    defaultProjectId: 'p',
  },
  project: { id: 'p', name: 'P' },
}

/** The shown connection is no real one. */
const unreal = /status of 4\d\d/

type Sent = { readonly method: string; readonly path: string; readonly body: unknown }

/** Shows the settings with a saved connection. `hold` keeps the answers to such requests until it is called again. */
const openSettings = async (page: Page) => {
  const sent: Sent[] = []
  const held = new Map<string, PromiseWithResolvers<void>>()
  await page.addInitScript(() => localStorage.setItem('wes-session', 'k'))
  await page.route(/\/local\/connections/, async (route) => {
    const method = route.request().method()
    const path = new URL(route.request().url()).pathname.slice('/local/connections'.length)
    if (method === 'GET') return route.fulfill({ json: { items: [SAVED], storing: 'keychain' } })
    sent.push({ method, path, body: route.request().postDataJSON() as unknown })
    await held.get(path)?.promise
    // The page may have given up the request.
    await route.fulfill({ json: path === '/test' ? FOUND : SAVED }).catch(() => undefined)
  })
  await page.goto('/p/default/settings')
  return {
    sent,
    hold: (path: string): (() => void) => {
      const answer = Promise.withResolvers<void>()
      held.set(path, answer)
      return () => {
        held.delete(path)
        answer.resolve()
      }
    },
  }
}

const openConnect = async (page: Page) => {
  await page.getByRole('button', { name: 'Connect to hosted' }).first().click()
  return page.getByRole('dialog', { name: 'Connect to hosted' })
}

test('a token is saved for the address that it was typed for, even if both change during the test', async ({
  page,
  allow,
}) => {
  allow(unreal)
  const { sent, hold } = await openSettings(page)
  const answerTest = hold('/test')
  const dialog = await openConnect(page)
  const connect = dialog.getByRole('button', { name: 'Connect', exact: true })
  await dialog.getByLabel('Name').fill('A')
  await dialog.getByLabel('Address').fill('https://a.example')
  await dialog.getByLabel('Token').fill('wes_of-a')
  await connect.click()
  await expect.poll(() => sent.length).toBe(1)
  await dialog.getByLabel('Address').fill('https://b.example')
  await dialog.getByLabel('Token').fill('wes_of-b')
  answerTest()
  await connect.click()
  await expect(dialog).toHaveCount(0)
  expect(sent.map(({ path, body }) => [path, body])).toEqual([
    ['/test', { address: 'https://a.example', token: 'wes_of-a' }],
    ['/test', { address: 'https://b.example', token: 'wes_of-b' }],
    ['', expect.objectContaining({ address: 'https://b.example', token: 'wes_of-b' })],
  ])
})

test('a token is replaced by the one that was tested, even if another is typed during the test', async ({ page }) => {
  const { sent, hold } = await openSettings(page)
  const answerTest = hold('/test')
  await page.getByRole('button', { name: 'Edit X' }).click()
  await page.getByRole('button', { name: 'Replace token' }).click()
  const dialog = page.getByRole('dialog', { name: 'Replace token' })
  const replace = dialog.getByRole('button', { name: 'Replace token' })
  await dialog.getByLabel('Token').fill('wes_tested')
  await replace.click()
  await expect.poll(() => sent.length).toBe(1)
  await dialog.getByLabel('Token').fill('wes_other')
  answerTest()
  await replace.click()
  await expect(dialog).toHaveCount(0)
  expect(sent.map(({ path, body }) => [path, body])).toEqual([
    ['/test', { id: 'x', token: 'wes_tested' }],
    ['/test', { id: 'x', token: 'wes_other' }],
    ['/x/token', { token: 'wes_other', keep: 'stored' }],
  ])
})

test('a dialog that is closed during its test saves nothing', async ({ page }) => {
  const { sent, hold } = await openSettings(page)
  const answerTest = hold('/test')
  const dialog = await openConnect(page)
  await dialog.getByLabel('Name').fill('A')
  await dialog.getByLabel('Address').fill('https://a.example')
  await dialog.getByLabel('Token').fill('wes_of-a')
  await dialog.getByRole('button', { name: 'Connect', exact: true }).click()
  await expect.poll(() => sent.length).toBe(1)
  const givenUp = page.waitForEvent('requestfailed', (request) => request.url().endsWith('/test'))
  await dialog.getByRole('button', { name: 'Close' }).last().click()
  await givenUp
  answerTest()
  await (await openConnect(page)).getByLabel('Name').fill('B')
  expect(sent.map(({ path }) => path)).toEqual(['/test'])
})

test('an answer to a dialog that was closed leaves the next one open', async ({ page }) => {
  const { sent, hold } = await openSettings(page)
  const edit = page.getByRole('dialog', { name: 'Edit connection' })
  const answerSave = hold('/x')
  await page.getByRole('button', { name: 'Edit X' }).click()
  await edit.getByRole('button', { name: 'Save' }).click()
  await expect.poll(() => sent.length).toBe(1)
  await edit.getByRole('button', { name: 'Close' }).last().click()

  const connect = await openConnect(page)
  await connect.getByLabel('Address').fill('https://typed.example')
  const answered = page.waitForResponse((answer) => answer.url().endsWith('/local/connections/x'))
  const readAgain = page.waitForResponse((answer) => answer.url().endsWith('/local/connections'))
  answerSave()
  await answered
  // The page has taken the answer in.
  await readAgain
  await expect(connect.getByLabel('Address')).toHaveValue('https://typed.example')
})

test('Control Enter submits the dialogs of connections', async ({ page, allow }) => {
  allow(unreal)
  const { sent } = await openSettings(page)
  const submit = () => page.keyboard.press('ControlOrMeta+Enter')
  const edit = page.getByRole('dialog', { name: 'Edit connection' })
  await page.getByRole('button', { name: 'Edit X' }).click()
  await edit.getByLabel('Name').fill('')
  await edit.getByRole('button', { name: 'Save' }).click()
  await expect(edit.getByText('Enter a name')).toBeVisible()
  await expect(edit.getByLabel('Name')).toBeFocused()
  await edit.getByLabel('Name').fill('Y')
  await submit()
  await expect(edit).toHaveCount(0)

  await page.getByRole('button', { name: 'Edit X' }).click()
  await edit.getByRole('button', { name: 'Replace token' }).click()
  const replace = page.getByRole('dialog', { name: 'Replace token' })
  await replace.getByLabel('Token').fill('wes_new')
  await submit()
  await expect(replace).toHaveCount(0)

  const connect = await openConnect(page)
  await connect.getByLabel('Name').fill('A')
  await submit()
  await expect(connect.getByLabel('Address'), 'the first field that is wrong').toBeFocused()
  await connect.getByLabel('Address').fill('https://a.example')
  await connect.getByLabel('Token').fill('wes_of-a')
  await submit()
  await expect(connect).toHaveCount(0)
  expect(sent.map(({ path }) => path)).toEqual(['/x', '/test', '/x/token', '/test', ''])
})
