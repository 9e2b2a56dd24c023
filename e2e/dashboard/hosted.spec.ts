// The dashboard of `wes serve`, at its `/`: a session for a token, and the same screens.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from '@playwright/test'
import type { ProgramArtifact } from '../../src-sdk/contract-types.ts'
import { createClient, type ServiceClient } from '../../src-sdk/create-client.ts'
import { type ServeProcess, startServeProcess } from '../serve-process.test-support.ts'
import { axe, expect, takeScreenshots, test as base } from './fixtures.ts'

type HostedFixtures = { readonly hosted: ServeProcess }
type Admin = { readonly admin: ServiceClient }

const test = base.extend<Admin, HostedFixtures>({
  hosted: [
    // oxlint-disable-next-line no-empty-pattern -- Playwright reads the names of the fixtures from the pattern
    async ({}, provide) => {
      const service = await startServeProcess()
      await provide(service)
      await service.dispose()
    },
    { scope: 'worker', timeout: 60_000 },
  ],
  admin: async ({ hosted, complaints }, provide) => {
    complaints.own(hosted.url)
    complaints.allow(/status of 401/)
    await provide(createClient({ url: hosted.url, token: hosted.token }))
    complaints.end()
  },
})

const artifact = (name: string): ProgramArtifact =>
  JSON.parse(
    readFileSync(join(import.meta.dirname, `../../examples/artifacts/${name}.program.json`), 'utf8'),
  ) as ProgramArtifact

/** By when a revoked token counts nowhere, with time for the page. */
const REVOKED = { timeout: 15_000 }

const tokenField = (page: Page) => page.getByLabel('Token')
const enter = async (page: Page, token: string): Promise<void> => {
  await tokenField(page).fill(token)
  await page.getByRole('button', { name: 'Sign in' }).click()
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

test('with a session, Executions are started, followed live and read', async ({ page, hosted, admin }) => {
  test.slow()
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
})

test('a token that is revoked, and signing out, end the session', async ({ page, hosted, admin }) => {
  const token = await admin.createToken({ name: 'for a while', role: 'read' })
  await page.goto(hosted.url)
  await enter(page, token.secret)
  await expect(page.getByText('Token for a while (read)')).toBeVisible()
  await admin.revokeToken(token.id)
  await expect(tokenField(page)).toBeVisible(REVOKED)
  await enter(page, hosted.token)
  await expect(page.getByRole('button', { name: 'Sign out' })).toBeVisible()
  await page.getByRole('button', { name: 'Sign out' }).click()
  await expect(tokenField(page)).toBeVisible()
  await page.goto(`${hosted.url}/programs`)
  await expect(tokenField(page)).toBeVisible()
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
  await expect(page.getByText('Connected')).toBeVisible({ timeout: 20_000 })
  await expect(page.getByRole('button', { name: 'Sign out' })).toBeVisible()
})
