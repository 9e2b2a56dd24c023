// Hosted services for tests of the desktop app, and what they do with its connections.

import type { ElectronApplication, Page } from '@playwright/test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ConnectionList, NewConnection } from '../../src-runtime/connections/models.ts'
import { createClient, type ServiceClient } from '../../src-sdk/create-client.ts'
import { type Serve, serveFixture } from '../serve-fixture.test-support.ts'
import { type ServeProcess, startServeProcess } from '../serve-process.test-support.ts'
import type { DesktopHome } from './desktop-home.ts'
import { test as base } from './launch.ts'
import { HELLO } from './programs.ts'

type Hosted = ServeProcess & { readonly admin: ServiceClient }

export const test = base.extend<{ readonly serve: Serve }, { readonly hosted: Hosted }>({
  hosted: [
    // oxlint-disable-next-line no-empty-pattern -- Playwright reads the names of the fixtures from the pattern
    async ({}, provide) => {
      const service = await startServeProcess()
      const admin = createClient({ url: service.url, token: service.token })
      await admin.deployProgram(HELLO)
      await provide({ ...service, admin })
      await service.dispose()
    },
    { scope: 'worker', timeout: 120_000 },
  ],
  serve: serveFixture,
})

/** Chromium logs each refused request. */
export const REFUSED = /status of (401|403|404|502|503|504) .*\/(hosted|local)\//

export const badge = (page: Page) => page.getByRole('status', { name: 'Connection' })
export const newToken = async ({ admin }: Hosted, expiresAt?: Date) =>
  admin.createToken({ name: `of a test`, role: 'admin', ...(expiresAt && { expiresAt }) })

/** Types like a user, so that no script of the test keeps the text in the page's memory. */
export const type = async (page: Page, label: string, text: string): Promise<void> => {
  await page.getByRole('dialog').getByLabel(label, { exact: true }).click()
  await page.keyboard.insertText(text)
}

/** What the dialogs send. */
export const add = (page: Page, { name, address, token, keep = 'stored' }: Partial<NewConnection>): Promise<number> =>
  page.evaluate(
    async (body) => {
      const headers = { 'content-type': 'application/json' }
      return (await fetch('/local/connections', { method: 'POST', headers, body: JSON.stringify(body) })).status
    },
    { name, address, token, keep, colour: 'teal', isProduction: false },
  )

export const list = (page: Page): Promise<ConnectionList> =>
  page.evaluate(async () => (await fetch('/local/connections')).json() as Promise<ConnectionList>)

/** The status and the code or the workspace of an answer through a connection. */
export const whoAmI = (page: Page, id: string): Promise<string> =>
  page.evaluate(async (connection) => {
    const answer = await fetch(`/hosted/${connection}/v1/whoami`)
    const { error, workspace } = (await answer.json()) as {
      readonly error?: { readonly code: string }
      readonly workspace?: { readonly name: string }
    }
    return `${answer.status} ${error?.code ?? workspace?.name}`
  }, id)

/** The labels of the connections in the menu; the marked one in brackets. */
export const menuOf = (electronApp: ElectronApplication): Promise<readonly string[]> =>
  electronApp.evaluate(({ Menu }) =>
    Menu.getApplicationMenu()!
      .getMenuItemById('connection')!
      .submenu!.items.filter((item) => item.type === 'radio')
      .map(({ label, checked }) => (checked ? `[${label}]` : label)),
  )

export const storedOf = ({ userData }: DesktopHome) =>
  JSON.parse(readFileSync(join(userData, 'connections.json'), 'utf8')) as {
    readonly connections: readonly object[]
    readonly tokens: Readonly<Record<string, string>>
  }
