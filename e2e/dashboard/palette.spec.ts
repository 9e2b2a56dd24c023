// The command palette by keyboard.

import type { Page } from '@playwright/test'
import { createClient } from '../../src-sdk/create-client.ts'
import { expect, test } from './fixtures.ts'
import { looksGood, echo, openedExecution, order, refused, waitingOrder } from './dialogs.test-support.ts'

const openPalette = async (page: Page) => {
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
  await page.keyboard.press('ControlOrMeta+k')
  const palette = page.getByRole('dialog', { name: 'Command palette' })
  await expect(palette.getByRole('combobox', { name: 'Search everything' })).toBeFocused()
  return palette
}

/** The option that Enter selects. */
const highlighted = (page: Page) => page.locator('[role="option"][data-highlighted]')

test('a pasted id opens its Execution, in any copied form and any project', async ({ client, page, runtime }) => {
  const project = await client.createProject({ name: `Palette ${crypto.randomUUID()}` })
  const inProject = createClient({ url: runtime.url, projectId: project.id })
  await inProject.deployProgram(echo('palette-echo'))
  const { id } = await inProject.start('palette-echo')
  await page.goto('/programs')
  const palette = await openPalette(page)
  await page.keyboard.insertText(`see ${runtime.url}/executions/${id}?tab=data please`)
  await expect(palette.getByRole('option', { name: id })).toContainText('palette-echo')
  await page.keyboard.press('Enter')
  expect(await openedExecution(page)).toBe(id)
  await expect(palette).toHaveCount(0)
})

test('the beginning of an id finds Executions, and an unknown id finds none', async ({
  deploy,
  client,
  page,
  allow,
}) => {
  allow(refused(404))
  await deploy(echo('palette-prefix'))
  const { id } = await client.start('palette-prefix')
  await page.goto('/settings')
  const palette = await openPalette(page)
  await page.keyboard.insertText(id.slice(0, -2).toUpperCase())
  await expect(palette.getByRole('listbox', { name: 'Results' }).getByRole('option', { name: id })).toBeVisible()
  await palette.getByRole('combobox').fill('exe_01m7x7f976f70tf514kr4mq0sm')
  await expect(palette.getByText('Nothing matches')).toBeVisible()
  await looksGood(page)
})

/** Sends keys as fast as possible, in order, without waiting for the page. */
const hitKeys = async (page: Page, text: string) => {
  const devTools = await page.context().newCDPSession(page)
  await devTools.send('Emulation.setCPUThrottlingRate', { rate: 6 })
  const ctrl = { key: 'k', code: 'KeyK', windowsVirtualKeyCode: 75, modifiers: 2 }
  const sent = [
    devTools.send('Input.dispatchKeyEvent', { type: 'rawKeyDown', ...ctrl }),
    devTools.send('Input.dispatchKeyEvent', { type: 'keyUp', ...ctrl }),
    ...text.split('').flatMap((key) => {
      const code = { key, code: /\d/.test(key) ? `Digit${key}` : `Key${key.toUpperCase()}` }
      return [
        devTools.send('Input.dispatchKeyEvent', { type: 'keyDown', ...code, text: key }),
        devTools.send('Input.dispatchKeyEvent', { type: 'keyUp', ...code }),
      ]
    }),
  ]
  await Promise.all(sent)
  await devTools.send('Emulation.setCPUThrottlingRate', { rate: 1 })
  await devTools.detach()
}

/** Opens a palette that shows nothing but its field until the returned function is called. */
const openLoadingPalette = async (page: Page) => {
  const loading = Promise.withResolvers<void>()
  await page.route(/\/assets\/palette-[^/]*\.js$/, async (route) => {
    await loading.promise
    await route.continue()
  })
  await page.goto('/waiting')
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
  await page.keyboard.press('ControlOrMeta+k')
  await expect(page.getByRole('textbox', { name: 'Search everything' })).toBeFocused()
  return loading.resolve
}

test('Enter runs what was typed while the palette was loading', async ({ page }) => {
  const load = await openLoadingPalette(page)
  await page.keyboard.type('metrics')
  await page.keyboard.press('Enter')
  load()
  await expect(page).toHaveURL(/\/metrics$/)
  await expect(page.getByRole('dialog')).toHaveCount(0)
})

test('what is changed after Enter while the palette is loading is not run', async ({ page }) => {
  const load = await openLoadingPalette(page)
  await page.keyboard.type('metric')
  await page.keyboard.press('Enter')
  await page.keyboard.type('s')
  load()
  await expect(highlighted(page)).toContainText('Go to Metrics')
  await expect(page).toHaveURL(/\/waiting$/)
})

test('keys right after Ctrl+K go to the palette, and not to shortcuts of the page', async ({ client, page }) => {
  const id = await waitingOrder(client, 'palette-fast')
  const texts = ['cancel', id.slice('exe_'.length), 'geskjrx']
  for (const text of texts) {
    // On a new page each time, because only the first palette has to load.
    await page.goto(`/executions/${id}`)
    await expect(page.getByRole('button', { name: 'Cancel execution' })).toBeVisible()
    for (let round = 0; round < 2; round += 1) {
      await hitKeys(page, text)
      await expect(page.getByRole('combobox', { name: 'Search everything' })).toHaveValue(text)
      expect(await page.getByRole('dialog').count()).toBe(1)
      if (text === texts[1]) await expect(page.getByRole('option', { name: id })).toBeVisible()
      await page.keyboard.press('Escape')
      await expect(page.getByRole('dialog')).toHaveCount(0)
    }
    expect(new URL(page.url()).pathname).toContain(`/executions/${id}`)
  }
})

test('a few letters find Programs, screens and actions', async ({ deploy, page }) => {
  await deploy(order('palette-order'))
  await page.goto('/executions')
  let palette = await openPalette(page)
  await page.keyboard.type('paletteord')
  await expect(highlighted(page)).toContainText('palette-order')
  await page.keyboard.press('Enter')
  await expect(page).toHaveURL(/\/programs\/palette-order$/)

  palette = await openPalette(page)
  await page.keyboard.type('start palette-ord')
  await expect(highlighted(page)).toHaveText(/Start palette-order/)
  await page.keyboard.press('Enter')
  const start = page.getByRole('dialog', { name: 'Start execution' })
  await expect(start.getByRole('combobox', { name: 'Program' })).toHaveValue('palette-order')
  // The palette does not take keys from a text field.
  await page.keyboard.press('ControlOrMeta+k')
  await expect(start).toBeVisible()
  await expect(palette).toHaveCount(0)
  await page.keyboard.press('Escape')

  await openPalette(page)
  await page.keyboard.type('gometr')
  await expect(highlighted(page)).toHaveText(/Go to Metrics/)
  await page.keyboard.press('Enter')
  await expect(page).toHaveURL(/\/metrics/)

  await openPalette(page)
  await page.keyboard.type('failed')
  await expect(highlighted(page)).toHaveText(/Failed Executions/)
  await expect(palette.getByRole('option', { name: 'Needs attention' })).toBeVisible()
  await page.keyboard.press('Enter')
  await expect(page).toHaveURL(/\/executions\?status=failed$/)

  await openPalette(page)
  await page.keyboard.type('executions')
  await expect(highlighted(page)).toHaveText(/Go to Executions/)
})

test('the palette has the actions of the screen', async ({ client, page }) => {
  const id = await waitingOrder(client, 'palette-acts')
  await page.goto(`/executions/${id}`)
  const palette = await openPalette(page)
  await expect(palette.getByRole('group', { name: 'This Execution' })).toContainText('Send event')
  await looksGood(page, 'palette')
  await page.keyboard.type('send')
  await page.keyboard.press('Enter')
  await expect(page.getByRole('dialog', { name: 'Send event' })).toBeVisible()
  await page.keyboard.press('Escape')
  await expect(page.getByRole('dialog')).toHaveCount(0)
  const opener = page.getByRole('button', { name: /^Find anything/ })
  await opener.press('Enter')
  await expect(palette).toBeVisible()
  await page.keyboard.press('Escape')
  await expect(opener).toBeFocused()
  await client.cancelExecution(id)
  await expect(page.getByRole('button', { name: 'Cancel execution' })).toHaveAttribute('aria-disabled', 'true')
  await openPalette(page)
  await page.keyboard.type('send event')
  const option = palette.getByRole('option', { name: /Send event/ })
  await expect(option).toHaveAttribute('aria-disabled', 'true')
  await expect(option).toContainText('it accepts no more events')
})

test('theme, times and projects can be selected', async ({ client, page }) => {
  const name = `Palette ${crypto.randomUUID()}`
  const project = await client.createProject({ name })
  await page.goto('/settings')
  await openPalette(page)
  await page.keyboard.type('dark')
  await expect(highlighted(page)).toHaveText(/Theme: dark/)
  await page.keyboard.press('Enter')
  await expect(page.locator('html')).toHaveAttribute('data-theme', 'dark')
  await openPalette(page)
  await page.keyboard.type('utc')
  await page.keyboard.press('Enter')
  await openPalette(page)
  await page.keyboard.type(name)
  await expect(highlighted(page)).toHaveText(new RegExp(`Switch to ${name}`))
  await page.keyboard.press('Enter')
  const kept = await page.evaluate(() => JSON.parse(localStorage.getItem('wes-preferences') ?? '{}') as unknown)
  expect(kept).toMatchObject({ state: { theme: 'dark', timeDisplay: 'utc', projectIds: { local: project.id } } })
  await openPalette(page)
  await page.keyboard.type('new proj')
  await page.keyboard.press('Enter')
  await expect(page.getByRole('dialog', { name: 'New project' })).toBeVisible()
})

test('Escape and a second Ctrl+K close it without changes', async ({ page }) => {
  await page.goto('/executions')
  const palette = await openPalette(page)
  await page.keyboard.press('Escape')
  await expect(palette).toHaveCount(0)
  await openPalette(page)
  await page.keyboard.press('ControlOrMeta+k')
  await expect(palette).toHaveCount(0)
})

test('the open palette shows the status that an Execution gets, and leaves its rows where they are', async ({
  client,
  page,
}) => {
  const id = await waitingOrder(client, 'palette-live')
  await page.goto('/settings')
  const palette = await openPalette(page)
  const row = palette.getByRole('option', { name: id })
  await expect(row).toContainText('waiting')
  const ids = () => palette.getByRole('group', { name: 'Recent Executions' }).getByRole('option').allTextContents()
  const before = (await ids()).map((text) => text.slice(0, id.length))
  await client.start('palette-live', { orderId: 'new', cents: 1 })
  await client.cancelExecution(id)
  await expect(row).toContainText('cancelled')
  await page.setViewportSize({ width: 390, height: 844 })
  const [shownId, note] = [row.locator('.font-mono'), row.getByText('palette-live · cancelled')]
  expect(await note.evaluate((one) => one.scrollWidth - one.clientWidth), 'cut on a phone').toBe(0)
  const beginsBeforePx = await shownId.evaluate((one) => {
    const text = document.createRange()
    text.selectNodeContents(one)
    return one.getBoundingClientRect().left - text.getBoundingClientRect().left
  })
  expect(beginsBeforePx, 'of the id, the beginning is cut').toBeGreaterThan(0)
  expect((await ids()).map((text) => text.slice(0, id.length))).toEqual(before)
})

test('rows stay where they are while the lists are read again, until the user types', async ({
  deploy,
  client,
  page,
}) => {
  const id = await waitingOrder(client, 'palette-still')
  // As if other windows had all places for a stream of changes: then everything is read again every three seconds.
  await page.addInitScript(() => {
    for (const place of [1, 2, 3, 4]) void navigator.locks.request(`wes-stream-${place}`, () => new Promise(() => {}))
  })
  await page.goto('/settings')
  const palette = await openPalette(page)
  await expect(palette.getByRole('option', { name: id })).toContainText('waiting')
  const screens = palette.getByRole('group', { name: 'Screens' })
  await expect(screens).toBeVisible()
  const rows = () =>
    palette.getByRole('option').evaluateAll((options) => options.map(({ textContent }) => textContent.slice(0, 30)))
  await expect(palette.getByRole('group', { name: 'Projects' })).toBeVisible()
  const before = await rows()
  await deploy(echo('a-new-program'))
  const started = await client.start('a-new-program')
  const recent = /\/v1\/executions\?limit=6/
  await page.waitForResponse(recent)
  await page.waitForResponse(recent)
  // The page has taken the answer before it asks again.
  await page.waitForRequest(recent)
  expect(await rows()).toEqual(before)
  await page.keyboard.insertText('a-new')
  await expect(palette.getByRole('option', { name: 'Start a-new-program' })).toBeVisible()
  await palette.getByRole('combobox').fill('')
  await expect(palette.getByRole('option', { name: started.id })).toBeVisible()
})
