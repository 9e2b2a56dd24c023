// Programs and actions for the tests of the dialogs.

import type { Locator, Page } from '@playwright/test'
import type { ProgramArtifact } from '../../src-sdk/contract-types.ts'
import type { ServiceClient } from '../../src-sdk/create-client.ts'
import { axe, expect, takeScreenshots } from './fixtures.ts'
import { untilStatus } from './until-status.test-support.ts'

/** Declares its events; waits for `approved`, then for `shipped`, and returns their payloads. */
export const order = (id: string, description = 'Takes an order'): ProgramArtifact => ({
  format: 'wes.program/1',
  id,
  description,
  program: {
    code: `({ run: async (ctx, input) => {
      const approved = await ctx.waitForEvent('approved', { timeout: '3 days' })
      return { approved, shipped: await ctx.waitForEvent('shipped') }
    } })`,
  },
  manifest: {
    inputSchema: {
      type: 'object',
      properties: {
        orderId: { type: 'string', minLength: 3, description: 'The shop’s own number' },
        cents: { type: 'integer', minimum: 1 },
        currency: { enum: ['EUR', 'USD'], default: 'EUR' },
        lines: {
          type: 'array',
          items: { type: 'object', properties: { sku: { type: 'string' } }, required: ['sku'] },
        },
      },
      required: ['orderId', 'cents'],
    },
    events: [
      { name: 'approved', payloadSchema: { type: 'object', properties: { by: { type: 'string' } }, required: ['by'] } },
      { name: 'rejected' },
    ],
  },
})

/** Returns any input. */
export const echo = (id: string): ProgramArtifact => ({
  format: 'wes.program/1',
  id,
  program: { code: '({ run: async (ctx, input) => ({ input }) })' },
})

/** Has uploaded effects, so a local runtime does not run it. */
export const withEffects = (id: string): ProgramArtifact => ({ ...order(id), effects: { code: '({})' } })

/** Cleans up when it is cancelled, for the time in its input. */
export const compensating = (id: string): ProgramArtifact => ({
  format: 'wes.program/1',
  id,
  program: {
    code: `({ run: async (ctx, input) => {
      try { await ctx.waitForEvent('never') } finally { await ctx.sleep(input.undoMs) }
    } })`,
  },
})

/** Deploys it, and starts an Execution that waits for `approved`. Returns its id. */
export const waitingOrder = async (client: ServiceClient, programId: string): Promise<string> => {
  await client.deployProgram(order(programId))
  const { id } = await client.start(programId, { orderId: 'abc', cents: 1 })
  await untilStatus(client, id, 'waiting')
  return id
}

/** Waits until the URL is that of an Execution, and returns its id. */
export const openedExecution = async (page: Page, except = ''): Promise<string> => {
  await expect.poll(() => executionOf(page)).toMatch(/^exe_/)
  await expect.poll(() => executionOf(page)).not.toBe(except)
  return executionOf(page)
}

const executionOf = (page: Page): string => /\/executions\/(exe_\w+)$/.exec(new URL(page.url()).pathname)?.[1] ?? ''

/** Checks the accessibility in both themes, and takes screenshots if it has a name. */
export const looksGood = async (page: Page, name?: string): Promise<void> => {
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
    await axe(page)
  }
  if (name !== undefined) await takeScreenshots(page, name)
}

/** Presses Tab until the element has the focus. `most`: how often. */
export const tabTo = async (page: Page, target: Locator, most = 20): Promise<void> => {
  await expect(target).toBeVisible()
  for (let steps = 0; steps < most; steps++) {
    if (await target.evaluate((element) => element === document.activeElement)) return
    await page.keyboard.press('Tab')
  }
  await expect(target).toBeFocused()
}

/** The requests that the page sends from now on. */
export const sentBodies = (page: Page, path: RegExp): readonly string[] => {
  const bodies: string[] = []
  page.on('request', (request) => {
    if (request.method() === 'POST' && path.test(new URL(request.url()).pathname)) bodies.push(request.postData() ?? '')
  })
  return bodies
}

/** The browser writes refused requests to the console. */
export const refused = (status: number): RegExp => new RegExp(`status of ${status}`)
export const offline =
  /ERR_CONNECTION_REFUSED|ERR_EMPTY_RESPONSE|ERR_CONNECTION_RESET|ERR_INCOMPLETE_CHUNKED|ERR_SOCKET_NOT_CONNECTED|ERR_FAILED/

/**
 * `fill` selects all in the document without telling the editor. Delete then takes one character, and the editor sets its
 * own selection again when it next changes anything.
 */
const selectAll = async (page: Page, editor: Locator): Promise<void> => {
  await editor.focus()
  await page.keyboard.press('ControlOrMeta+A')
}

/** The editor gets the focus, or the marks of another version's schema come a moment later. */
export const typeOverAll = async (page: Page, editor: Locator, text: string): Promise<void> => {
  await selectAll(page, editor)
  await page.keyboard.insertText(text)
}

export const deleteAll = async (page: Page, editor: Locator): Promise<void> => {
  await selectAll(page, editor)
  await page.keyboard.press('Delete')
}

/** Drops files of these names on the page. */
export const drop = (page: Page, files: Readonly<Record<string, string>>): Promise<void> =>
  page.evaluate((given) => {
    const dataTransfer = new DataTransfer()
    for (const [name, text] of Object.entries(given)) dataTransfer.items.add(new File([text], name))
    for (const type of ['dragover', 'drop']) {
      document.body.dispatchEvent(new DragEvent(type, { dataTransfer, bubbles: true, cancelable: true }))
    }
  }, files)
