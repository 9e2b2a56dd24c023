// Live updates of the list: changes show at once, and rows never move under the pointer.

import {
  openProject,
  chooseProject,
  expect,
  grid,
  leaveRows,
  row,
  shownIds,
  test,
} from './executions-list.test-support.ts'

test('a new Execution and each status show at once', async ({ project, page }) => {
  await project.start({ say: 'x' })
  await page.goto('/executions')
  await expect(grid(page).getByRole('row')).toHaveCount(2)
  const execution = await project.client.start('order-demo', { wait: 'go' })
  const began = performance.now()
  await expect(row(page, execution.id)).toContainText('waiting')
  await expect(row(page, execution.id)).toContainText('event go')
  await execution.send('go', 1)
  await expect(row(page, execution.id)).toContainText('completed')
  const took = Math.round(performance.now() - began)
  test.info().annotations.push({ type: 'ms from start to completed on screen', description: String(took) })
  await expect(row(page, execution.id)).not.toContainText('event go')
  await expect(page.getByRole('button', { name: 'completed 2' })).toBeVisible()
})

for (const { reads, status, code } of [
  { reads: 'failed', status: 503, code: 'unavailable' },
  { reads: 'took too long', status: 504, code: 'too_slow' },
]) {
  test(`a new Execution shows after reads that ${reads}, without a further change`, async ({
    project,
    page,
    allow,
  }) => {
    allow(new RegExp(`status of ${status}`))
    const first = await project.start({ say: 'x' })
    await page.clock.install()
    await page.goto('/executions')
    await expect(row(page, first)).toContainText('completed')
    let failed = 0
    await page.route(/\/v1\/executions\?/, async (route) => {
      failed += 1
      await route.fulfill({ status, json: { error: { code, message: 'Not now.' } } })
    })
    const second = await project.start({ say: 'x' })
    // A read may be under way when the last change arrives, which leads to one more; the next ones come by themselves.
    const before = failed
    const tenSecondsLater = async <Value>(read: () => Value) => {
      await page.clock.fastForward(10_000)
      return read()
    }
    await expect.poll(() => tenSecondsLater(() => failed)).toBeGreaterThan(before + 2)
    await page.unroute(/\/v1\/executions\?/)
    await expect.poll(() => tenSecondsLater(() => shownIds(page))).toEqual([second, first])
  })
}

test('rows do not move while the pointer is over them', async ({ project, page }) => {
  const first = await project.start({ say: 'x' })
  await page.goto('/executions')
  await row(page, first).hover()
  const before = await row(page, first).boundingBox()
  const second = await project.start({ say: 'x' })
  const third = await project.start({ say: 'x' })
  const pill = page.getByRole('button', { name: '2 new' })
  await expect(pill).toBeVisible()
  expect(await row(page, first).boundingBox()).toEqual(before)
  expect(await shownIds(page)).toEqual([first])
  await pill.click()
  await expect.poll(() => shownIds(page)).toEqual([third, second, first])
  await expect(pill).toHaveCount(0)

  await row(page, first).hover()
  const fourth = await project.start({ say: 'x' })
  await expect(page.getByRole('button', { name: '1 new' })).toBeVisible()
  await leaveRows(page)
  await expect.poll(() => shownIds(page)).toEqual([fourth, third, second, first])
})

test('rows that no longer match stay visible until the pointer leaves', async ({ project, page }) => {
  const one = await project.start({ wait: 'go' })
  const other = await project.start({ wait: 'go' })
  await page.goto('/executions?status=waiting')
  await row(page, one).hover()
  await project.client.sendEvent(other, 'go')
  await expect(row(page, other)).toContainText('completed')
  expect(await shownIds(page)).toEqual([other, one])
  await leaveRows(page)
  await expect.poll(() => shownIds(page)).toEqual([one])
})

test('rows do not move while one has the focus', async ({ project, page }) => {
  const first = await project.start({ say: 'x' })
  await page.goto('/executions')
  await expect(row(page, first)).toBeVisible()
  await page.keyboard.press('j')
  await expect(page.getByRole('link', { name: first })).toBeFocused()
  const second = await project.start({ say: 'x' })
  await expect(page.getByRole('button', { name: '1 new' })).toBeVisible()
  await page.keyboard.press('Escape')
  await expect.poll(() => shownIds(page)).toEqual([second, first])
})

test('changes of other projects and Programs are ignored', async ({ runtime, project, page }) => {
  const mine = await project.start({ say: 'x' })
  const others = await openProject(runtime.url)
  await page.goto('/executions?programId=order-demo')
  await expect(row(page, mine)).toBeVisible()
  await others.start({ say: 'x' })
  await project.start({ say: 'x' }, 'report-demo')
  const last = await project.start({ say: 'x' })
  await expect.poll(() => shownIds(page)).toEqual([last, mine])
})

test('the list is updated after the runtime was gone, without a reload', async ({ freshRuntime, page, allow }) => {
  allow(/ERR_CONNECTION_REFUSED|ERR_INCOMPLETE_CHUNKED_ENCODING|ERR_CONNECTION_RESET|ERR_EMPTY_RESPONSE|503/)
  const project = await openProject(freshRuntime.url)
  const before = await project.start({ say: 'x' })
  await chooseProject(page, 'default')
  await page.goto(`${freshRuntime.url}/executions`)
  await expect(row(page, before)).toBeVisible()
  await freshRuntime.stop()
  await expect(page.getByText('does not answer')).toBeVisible()
  await expect(row(page, before)).toBeVisible()
  await freshRuntime.start()
  const after = await project.start({ say: 'x' })
  await expect.poll(() => shownIds(page)).toEqual([after, before])
})
