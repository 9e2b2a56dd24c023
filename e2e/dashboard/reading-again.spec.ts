// The dashboard reads only changed data from a busy runtime.

import type { Page } from '@playwright/test'
import { DEMO, expect, row, shownIds, test } from './executions-list.test-support.ts'

declare global {
  /** How often React has changed the page. */
  var commits: number
}

/** By the stream it hears of changes, and by the projects it asks now and then whether the runtime answers. */
const FOLLOWING: ReadonlySet<string> = new Set(['/local/v1/changes', '/local/v1/projects'])

/** The paths of `/v1` that the page requests from now on, without their queries. */
const watchRequests = (page: Page): readonly string[] => {
  const asked: string[] = []
  page.on('request', (request) => {
    const { pathname } = new URL(request.url())
    if (pathname.startsWith('/local/v1/') && !FOLLOWING.has(pathname)) asked.push(pathname.slice('/local/v1'.length))
  })
  return asked
}

test('a deleted Execution leaves the list, and only the list and its counts are read again', async ({
  project,
  page,
}) => {
  const first = await project.start({ say: 'x' })
  const second = await project.start({ say: 'y' })
  await page.goto(`/p/${project.id}/executions`)
  await expect.poll(() => shownIds(page)).toEqual([second, first])
  await expect(page.getByRole('status', { name: 'Runtime' })).toHaveText('Runtime ready')
  // The reads after the stream opened are done.
  await page.waitForTimeout(2_500)
  const asked = watchRequests(page)
  await project.client.deleteExecution(first)
  await expect.poll(() => shownIds(page)).toEqual([second])
  await page.waitForTimeout(1_500)
  expect(asked.filter((path) => !path.startsWith('/executions'))).toEqual([])
})

test('what changed while another screen was shown is shown at once, also a moment after it was read', async ({
  project,
  page,
}) => {
  const execution = await project.client.start('order-demo', { wait: 'go' })
  // For the page, no time goes by.
  await page.clock.setFixedTime(Date.now())
  const asked = watchRequests(page)
  await page.goto(`/p/${project.id}/waiting`)
  // Once more after the stream of changes opened.
  await expect.poll(() => asked.filter((path) => path.endsWith('/waiting')).length).toBeGreaterThanOrEqual(2)
  const waits = page.getByRole('table', { name: 'Waiting' })
  await expect(waits).toContainText('go')
  await page.getByRole('link', { name: 'Executions', exact: true }).click()
  await expect(row(page, execution.id)).toContainText('waiting')
  const recent = page.getByRole('group', { name: 'Recent Executions' }).getByRole('option')
  await page.keyboard.press('ControlOrMeta+k')
  await expect(recent).toContainText('waiting')
  await page.keyboard.press('Escape')
  await expect(recent).toHaveCount(0)
  await execution.send('go', 1)
  await expect(row(page, execution.id)).toContainText('completed')
  await page.keyboard.press('ControlOrMeta+k')
  await expect(recent).toContainText('completed')
  await page.keyboard.press('Escape')
  await page.goBack()
  await expect(page.getByText('Nothing is waiting')).toBeVisible()
})

test('what changes while the first answer is on its way is shown', async ({ freshRuntime, page }) => {
  const code = '({ run: (ctx, input) => ctx.waitForEvent(input.name) })'
  const { client, url } = freshRuntime
  await client.deployProgram({ format: 'wes.program/1', id: 'gate', program: { code } })
  await client.start('gate', { name: 'early' })
  const [isRead, mayArrive] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  await page.route(
    /\/v1\/waiting/,
    async (route) => {
      const response = await route.fetch()
      isRead.resolve()
      await mayArrive.promise
      await route.fulfill({ response })
    },
    { times: 1 },
  )
  await page.goto(`${url}/waiting`)
  await isRead.promise
  await expect(page.getByRole('status', { name: 'Runtime' })).toHaveText('Runtime ready')
  const late = await client.start('gate', { name: 'late' })
  await expect.poll(async () => (await client.getExecution(late.id)).status).toBe('waiting')
  // The page has heard of it, and of what it may have missed before.
  await page.waitForTimeout(2_500)
  mayArrive.resolve()
  await expect(page.getByRole('table', { name: 'Waiting' }).getByRole('link', { name: 'late' })).toBeVisible()
  await page.unrouteAll({ behavior: 'ignoreErrors' })
})

test('running Executions do not make the page read Programs again', async ({ project, page }) => {
  await page.goto(`/p/${project.id}/programs`)
  await expect(page.getByRole('table', { name: 'Programs' })).toContainText(DEMO)
  await page.waitForTimeout(2_500)
  const asked = watchRequests(page)
  const until = Date.now() + 3_000
  while (Date.now() < until) await project.start({ say: 'x' })
  // Without a report of a Program, the page polls every five seconds.
  expect(asked.filter((path) => path === '/programs').length).toBeLessThanOrEqual(1)
  expect(asked.filter((path) => path === '/executions/counts').length).toBeLessThanOrEqual(4)
})

test('a hidden page reads nothing, and everything once it is shown', async ({ project, page }) => {
  const first = await project.start({ say: 'x' })
  await page.goto(`/p/${project.id}/executions`)
  await expect.poll(() => shownIds(page)).toEqual([first])
  await expect(page.getByRole('status', { name: 'Runtime' })).toHaveText('Runtime ready')
  await page.waitForTimeout(2_500)
  const show = (isShown: boolean) =>
    page.evaluate(
      (state) => {
        Object.defineProperties(document, {
          hidden: { configurable: true, value: state === 'hidden' },
          visibilityState: { configurable: true, value: state },
        })
        document.dispatchEvent(new Event('visibilitychange', { bubbles: true }))
      },
      isShown ? 'visible' : 'hidden',
    )
  await show(false)
  const asked = watchRequests(page)
  const second = await project.start({ say: 'y' })
  const third = await project.start({ say: 'z' })
  await page.waitForTimeout(2_500)
  expect(asked).toEqual([])
  await show(true)
  await expect.poll(() => shownIds(page)).toEqual([third, second, first])
})

test('a history that is read again without changes is not drawn again', async ({ project, page }) => {
  // As React's own tools count, with no clock on the page, and as if other windows had all places for a stream of changes:
  // then everything is read again every three seconds.
  await page.addInitScript(() => {
    globalThis.commits = 0
    const onCommitFiberRoot = () => (globalThis.commits += 1)
    const ignored = () => {}
    const hook = { supportsFiber: true, inject: () => 1, onCommitFiberRoot, onCommitFiberUnmount: ignored }
    Object.assign(globalThis, {
      __REACT_DEVTOOLS_GLOBAL_HOOK__: { ...hook, onPostCommitFiberRoot: ignored },
      setInterval: () => 0,
    })
    for (const place of [1, 2, 3, 4]) void navigator.locks.request(`wes-stream-${place}`, () => new Promise(() => {}))
  })
  // Its answers tell of memory and disk, and differ.
  const runtime = await project.client.getRuntime()
  await page.route('**/v1/runtime', (route) => route.fulfill({ json: runtime }))
  const id = await project.start({ say: 'x' })
  const readAgain = async () => {
    await (await page.waitForResponse((response) => response.url().includes(`/${id}/history`))).finished()
    await page.waitForTimeout(500)
  }
  await page.goto(`/executions/${id}`)
  await readAgain()
  await readAgain()
  const before = await page.evaluate(() => globalThis.commits)
  await readAgain()
  expect(before).toBeGreaterThan(0)
  expect(await page.evaluate(() => globalThis.commits)).toBe(before)
})
