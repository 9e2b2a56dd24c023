// `wes dev --token` in a browser: a link works once, and opens a session until the runtime ends.

import type { Page } from '@playwright/test'
import { wes } from '../../src-cli/wes.test-support.ts'
import { startRuntimeProcess } from '../runtime-process.test-support.ts'
import { freePorts } from '#hosted/boot/free-ports.ts'
import { axe, expect, grid, openProject, test as base } from './executions-list.test-support.ts'

const TOKEN = 'a-token-of-the-test'

type Guarded = {
  readonly url: string
  /** The link that `wes dev` printed at its last start. */
  readonly firstLink: () => Promise<string>
  /** A link from `wes link`. */
  readonly newLink: () => Promise<string>
  readonly restart: () => Promise<void>
}

const test = base.extend<{ readonly guarded: Guarded }>({
  guarded: async ({ complaints }, provide) => {
    const [port = 0] = await freePorts([0])
    const runtime = await startRuntimeProcess({ port, token: TOKEN })
    complaints.own(new URL(runtime.url()).origin)
    complaints.allow(/status of 401/)
    let starts = 1
    await provide({
      url: runtime.url(),
      firstLink: async () => {
        const links = () => [...runtime.stderr().matchAll(/^dashboard (\S+)/gm)].map(([, link]) => link!)
        await expect.poll(() => links().length).toBe(starts)
        return links().at(-1)!
      },
      newLink: async () => (await wes(['link', '--data-dir', runtime.dataDir])).out.trim(),
      restart: async () => {
        await runtime.interrupt()
        await runtime.start()
        starts += 1
      },
    })
    complaints.end()
    await runtime.dispose()
  },
})

/** The message without a key. */
const sentence = (page: Page) => page.getByText('open the link that `wes dev` printed').first()

/** All URLs in the tab's history. */
const addressesOf = async (page: Page): Promise<readonly string[]> => {
  const session = await page.context().newCDPSession(page)
  const { entries } = await session.send('Page.getNavigationHistory')
  return entries.map(({ url }) => url)
}

test('without a key, the page says how to get one, and shows no data', async ({ guarded, page }) => {
  await page.goto(guarded.url)
  await expect(sentence(page)).toBeVisible()
  await expect(sentence(page)).toContainText('or print a new one with `wes link`')
  await expect(page.getByRole('status', { name: 'Runtime' })).toHaveText('Token required')
  await expect(page.getByText('does not answer')).toHaveCount(0)
  await axe(page)
})

test('a link opens a session: with live updates, after reloads, in one browser, and the code is removed from the URL', async ({
  browser,
  guarded,
  page,
}) => {
  const project = await openProject(guarded.url, undefined, TOKEN)
  const before = await project.start({ wait: 'approved' })
  const link = await guarded.firstLink()
  const stream = page.waitForResponse((answer) => answer.url().includes('/v1/changes'))
  await page.goto(link)
  await expect(grid(page)).toContainText(before)
  expect((await stream).status()).toBe(200)

  await test.step('what happens is shown as it happens', async () => {
    const later = await project.start({ wait: 'approved' })
    await expect(grid(page)).toContainText(later)
  })
  await test.step('the code is nowhere in the address or the history, and the key in no cookie', async () => {
    expect((await addressesOf(page)).join(' ')).not.toContain('code=')
    expect(await page.context().cookies()).toEqual([])
  })
  await test.step('the session outlives a reload, and is there in another tab', async () => {
    await page.reload()
    await expect(grid(page)).toContainText(before)
    const tab = await page.context().newPage()
    await tab.goto(`${guarded.url}/executions/${before}`)
    await expect(tab.getByRole('heading', { level: 1 })).toBeVisible()
    await expect(sentence(tab)).toHaveCount(0)
    await tab.close()
  })
  await test.step('the same link opens nothing in another browser; a new one does, in the same tab', async () => {
    const other = await browser.newContext()
    const theirs = await other.newPage()
    await theirs.goto(link)
    await expect(sentence(theirs)).toBeVisible()
    await theirs.goto(await guarded.newLink())
    await expect(grid(theirs)).toContainText(before)
    await other.close()
  })
})

test('a link that is opened on its own page opens the session too', async ({ guarded, page }) => {
  await page.goto(guarded.url)
  await expect(sentence(page)).toBeVisible()
  const { hash } = new URL(await guarded.firstLink())
  await page.evaluate((fragment) => window.location.assign(fragment), hash)
  await expect(sentence(page)).toHaveCount(0)
  await expect(page.getByRole('status', { name: 'Runtime' })).toHaveText('Runtime ready')
  expect((await addressesOf(page)).join(' ')).not.toContain('code=')
})

test('a restart of the runtime ends the session, and the page says so', async ({ allow, guarded, page }) => {
  allow(/net::ERR_|503/)
  const project = await openProject(guarded.url, undefined, TOKEN)
  const id = await project.start({ wait: 'approved' })
  await page.goto(await guarded.firstLink())
  await expect(grid(page)).toContainText(id)
  await guarded.restart()
  const notice = page.getByRole('status', { name: 'Availability' })
  await expect(notice).toContainText('The session of this page has ended. In a browser, open the link')
  await expect(notice).toContainText('Showing data from')
  await page.reload()
  await expect(sentence(page)).toContainText('The session of this page has ended.')
  await page.goto(await guarded.firstLink())
  await expect(grid(page)).toContainText(id)
  await expect(notice).toBeEmpty()
})
