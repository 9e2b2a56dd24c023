// The dashboard of a real `wes dev`, opened by a link, with connections to hosted services.

import type { Page } from '@playwright/test'
import { wes } from '../../src-cli/wes.test-support.ts'
import { type Serve, serveFixture } from '../serve-fixture.test-support.ts'
import { expect } from './fixtures.ts'
import { test as base } from './hosted-fixtures.ts'

type Connect = {
  readonly name: string
  readonly address: string
  readonly token: string
  readonly isProduction?: boolean
}

type ConnectionFixtures = {
  /** Prints a link to the dashboard, as `wes link` does. */
  readonly link: () => Promise<string>
  /** The page of `wes dev`, opened by a link. */
  readonly linked: Page
  /** A connection that is saved already; answers its id. */
  readonly saved: (connection: Connect) => Promise<string>
  readonly serve: Serve
}

export const test = base.extend<ConnectionFixtures>({
  link: async ({ runtime }, provide) =>
    provide(async () => (await wes(['link', '--data-dir', runtime.dataDir])).out.trim()),
  linked: async ({ page, link, admin: _ }, provide) => {
    await page.goto(await link())
    await expect(badge(page)).toHaveText('Local')
    await provide(page)
  },
  // After `serve`, whose servers therefore answer until no page shows them any more.
  saved: async ({ linked, serve: _ }, provide) => {
    const made: string[] = []
    await provide(async ({ name, address, token, isProduction = false }) => {
      const wanted = { name, address, token, isProduction, colour: 'teal', keep: 'run' }
      const { id } = (await askHome(linked, 'POST', '', wanted)) as { readonly id: string }
      made.push(id)
      return id
    })
    // A screen of a connection that is removed would still ask for its data.
    if (made.length > 0) await linked.goto(`${new URL(linked.url()).origin}/p/default/programs`)
    for (const id of made) await askHome(linked, 'DELETE', `/${id}`)
  },
  serve: serveFixture,
})

/** Sends what the dialogs send, with the session of the page. */
export const askHome = (page: Page, method: string, path: string, body?: unknown): Promise<unknown> =>
  page.evaluate(
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

export const badge = (page: Page) => page.getByRole('status', { name: 'Connection', exact: true })
export const dialog = (page: Page, name = 'Connect to hosted') => page.getByRole('dialog', { name })

export const fill = async (page: Page, { name, address, token, isProduction = false }: Connect): Promise<void> => {
  await dialog(page).getByLabel('Name').fill(name)
  await dialog(page).getByLabel('Address').fill(address)
  await dialog(page).getByLabel('Token').fill(token)
  if (isProduction) await dialog(page).getByRole('switch', { name: 'Production' }).click()
}

let names = 0
export const newName = (what: string): string => `${what} ${process.pid} ${(names += 1)}`
