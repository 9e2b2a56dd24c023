// Tokens of the desktop app where its keychain is missing, is locked or fails: each is said on the page, with a way out.

import type { ElectronApplication, Page } from '@playwright/test'
import { axe } from '../dashboard/fixtures.ts'
import { takeNarrowScreenshots } from '../dashboard/screenshots.test-support.ts'
import { badge, list, newToken, REFUSED, storedOf, test, type } from './connections.test-support.ts'
import { CUT_OFF, expect } from './launch.ts'
import { clickMenu } from './platform.ts'
import { filesWith } from './token-search.test-support.ts'

const connectDialog = (page: Page) => page.getByRole('dialog', { name: 'Connect to hosted' })

const fill = async (page: Page, name: string, address: string, token: string): Promise<void> => {
  await type(page, 'Name', name)
  await type(page, 'Address', address)
  await type(page, 'Token', token)
}

/** Types it into "Replace token", which the screen offers. */
const replaceToken = async (page: Page, token: string): Promise<void> => {
  await page.getByRole('main').getByRole('button', { name: 'Replace token' }).click()
  await type(page, 'Token', token)
}

const connectionOf = (page: Page, name: string) =>
  page.getByRole('list', { name: 'Hosted connections' }).getByRole('listitem').filter({ hasText: name })

/** Lets the keychain fail with these messages from now on. */
const setKeychain = (electronApp: ElectronApplication, fails: { readonly seal?: string; readonly open?: string }) =>
  electronApp.evaluate(({ safeStorage }, { seal, open }) => {
    const { encryptStringAsync, decryptStringAsync } = ((
      globalThis as unknown as { keychain?: Electron.SafeStorage }
    ).keychain ??= { ...safeStorage })
    safeStorage.encryptStringAsync = seal === undefined ? encryptStringAsync : () => Promise.reject(new Error(seal))
    safeStorage.decryptStringAsync = open === undefined ? decryptStringAsync : () => Promise.reject(new Error(open))
  }, fails)

test.skip(({ engine }) => engine !== 'stand-in', 'the keychain of a real desktop cannot be selected')

test('without a keychain the user is asked, and a token of this run ends with it', async ({
  allow,
  home,
  hosted,
  launch,
}) => {
  allow(REFUSED)
  allow(CUT_OFF)
  const { secret } = await newToken(hosted)
  const env = { STANDIN_SAFE_STORAGE: 'basic_text' }
  const first = await launch({ env })
  const page = await first.page()
  const dialog = connectDialog(page)

  await test.step('kept for this run, unless the user wants it stored', async () => {
    await clickMenu(first.electronApp, 'connect-to-hosted')
    await fill(page, 'Acme', hosted.url, secret)
    await expect(dialog.getByText('Your system has no keychain: the token would only be obfuscated.')).toBeVisible()
    await expect(dialog.getByRole('radio', { name: 'Keep it for this run' })).toBeChecked()
    await axe(page)
    await takeNarrowScreenshots(page, 'desktop-no-keychain')
    await dialog.getByRole('button', { name: 'Connect', exact: true }).click()
    await expect(badge(page)).toHaveText('Hosted · default')
    await clickMenu(first.electronApp, 'connect-to-hosted')
    await fill(page, 'Stored', hosted.url, secret)
    await dialog.getByRole('radio', { name: 'Store it anyway' }).click()
    await dialog.getByRole('button', { name: 'Connect', exact: true }).click()
    await expect(badge(page)).toHaveText('Hosted · default')
  })
  await test.step('the settings say how each is kept', async () => {
    await clickMenu(first.electronApp, 'settings')
    await expect(connectionOf(page, 'Acme')).toContainText('Token: kept in memory for this run')
    await expect(connectionOf(page, 'Stored')).toContainText('Token: stored, only obfuscated')
    await takeNarrowScreenshots(page, 'desktop-tokens-kept')
  })
  await first.quit()
  expect(filesWith(home.folder, secret)).toEqual([])
  expect(Object.keys(storedOf(home).tokens)).toEqual(['stored'])

  await test.step('in the next run one is there, and the other is asked for again', async () => {
    const second = await launch({ env })
    const again = await second.page()
    expect((await list(again)).storing).toBe('obfuscated')
    await clickMenu(second.electronApp, 'connection-stored')
    await expect(badge(again)).toHaveText('Hosted · default')
    await clickMenu(second.electronApp, 'connection-acme')
    await expect(again.getByRole('main').getByRole('heading', { name: 'The token of Acme is missing' })).toBeVisible()
    await replaceToken(again, secret)
    await again.getByRole('dialog').getByRole('radio', { name: 'Store it anyway' }).click()
    await again.getByRole('dialog').getByRole('button', { name: 'Replace token' }).click()
    await expect(badge(again)).toHaveText('Hosted · default')
    await expect.poll(() => Object.keys(storedOf(home).tokens)).toEqual(['stored', 'acme'])
  })
})

test('a keychain that is locked, has lost its key or fails is said, with a way out', async ({
  allow,
  electronApp,
  home,
  hosted,
  page,
}) => {
  allow(REFUSED)
  const { secret } = await newToken(hosted)
  const main = page.getByRole('main')
  await clickMenu(electronApp, 'connect-to-hosted')
  await fill(page, 'Acme', hosted.url, secret)
  await connectDialog(page).getByRole('button', { name: 'Connect', exact: true }).click()
  await expect(badge(page)).toHaveText('Hosted · default')
  await clickMenu(electronApp, 'go-programs')
  await expect(main.getByRole('table', { name: 'Programs' })).toContainText('hello')

  await test.step('locked: the data is shown once it is unlocked', async () => {
    const open = 'safeStorage.decryptStringAsync is temporarily unavailable. Please try again.'
    await setKeychain(electronApp, { open })
    await page.reload()
    await expect(main.getByRole('heading', { name: 'The keychain is locked' })).toBeVisible()
    await expect(main.getByRole('alert')).toContainText('The token of Acme cannot be read now')
    await axe(page)
    await takeNarrowScreenshots(page, 'desktop-keychain-locked')
    const asked = page.waitForRequest((request) => request.url().includes('/v1/programs'))
    await main.getByRole('button', { name: 'Try again' }).click()
    await asked
    await expect(main.getByRole('heading', { name: 'The keychain is locked' })).toBeVisible()
    // Once it is unlocked, the page may try again by itself before anybody clicks.
    await setKeychain(electronApp, {})
    await expect(badge(page)).toHaveText('Hosted · default')
    await expect(main.getByRole('table', { name: 'Programs' })).toContainText('hello')
  })
  await test.step('its key is gone: the token is asked for; where it cannot be stored, it is kept for this run', async () => {
    await setKeychain(electronApp, { open: 'Error while decrypting', seal: 'Error while encrypting' })
    await page.reload()
    await expect(main.getByRole('heading', { name: 'The token of Acme is missing' })).toBeVisible()
    await replaceToken(page, secret)
    await page.getByRole('dialog').getByRole('button', { name: 'Replace token' }).click()
    const toast = page.getByText('The keychain could not be used: the token is kept until the app is closed.')
    await expect(toast).toBeVisible()
    await axe(page)
    await takeNarrowScreenshots(page, 'desktop-keychain-fails')
    await expect(badge(page)).toHaveText('Hosted · default')
    expect(storedOf(home).tokens).toEqual({})
    await clickMenu(electronApp, 'settings')
    await expect(connectionOf(page, 'Acme')).toContainText('Token: kept in memory for this run')
  })
})
