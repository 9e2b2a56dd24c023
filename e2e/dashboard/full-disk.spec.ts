// The disk of the data directory is full, and has room again.

import type { RuntimeStatus } from '../../src-sdk/inspection-types.ts'
import { axe, expect, takeScreenshots, test } from './fixtures.ts'

declare global {
  var tellOfChange: (text: string) => void
}

/** In the page: adds what `tellOfChange` is given to the stream of changes. */
const tellOfChanges = (): void => {
  const { fetch } = globalThis
  globalThis.fetch = async (...request) => {
    const response = await fetch(...request)
    if (!response.url.includes('/v1/changes')) return response
    const { readable, writable } = new TransformStream({
      start: (controller) => {
        globalThis.tellOfChange = (text) => controller.enqueue(new TextEncoder().encode(text))
      },
    })
    void response.body?.pipeTo(writable).catch(() => {})
    return new Response(readable, response)
  }
}

test('the rail and a notice say that the disk is full, until the runtime says that there is room', async ({
  page,
  client,
}) => {
  let diskIsFull = true
  await page.route('**/local/v1/runtime', async (route) => {
    const status = (await (await route.fetch()).json()) as RuntimeStatus
    await route.fulfill({ json: { ...status, diskIsFull } })
  })
  await page.addInitScript(tellOfChanges)
  await page.goto('/executions')
  const state = page.getByRole('status', { name: 'Runtime' })
  await expect(state).toHaveText('Disk full')
  const notice = page.getByRole('alert', { name: 'The disk is full' })
  const { dataDir } = await client.getRuntime()
  await expect(notice).toContainText(`Make room on the disk that holds ${dataDir}`)
  await axe(page)
  await takeScreenshots(page, 'full-disk')
  diskIsFull = false
  await page.evaluate(() => globalThis.tellOfChange('event: runtime\ndata: {}\n\n'))
  await expect(state).toHaveText('Runtime ready')
  await expect(notice).toBeHidden()
})
