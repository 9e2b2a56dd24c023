import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ProgramArtifact } from '../../src-sdk/contract-types.ts'
import { axe, expect, takeScreenshots, test } from './fixtures.ts'

const artifact = (name: string): ProgramArtifact =>
  JSON.parse(
    readFileSync(join(import.meta.dirname, `../../examples/artifacts/${name}.program.json`), 'utf8'),
  ) as ProgramArtifact

test('the page at / loads, calls no other origin, and is accessible', async ({ page }) => {
  await page.goto('/')
  await expect(page).toHaveTitle(/Workflow Execution Service/)
  await expect(page.getByRole('main')).toBeVisible()
  await axe(page)
  await takeScreenshots(page, 'smoke')
})

test('a Program that a test deploys runs on the page’s runtime', async ({ client, deploy, page }) => {
  await deploy(artifact('hello'))
  const execution = await client.start('hello', { name: 'Ada' })
  await execution.result()
  await page.goto('/')
  const seen = await page.evaluate(async (id) => (await fetch(`/v1/executions/${id}/result`)).json(), execution.id)
  expect(seen).toMatchObject({ status: 'completed', result: { greeting: 'Hello, Ada!' } })
})

test('a runtime that a test stops, kills and restarts keeps its URL and data', async ({ freshRuntime }) => {
  const { client } = freshRuntime
  await client.deployProgram(artifact('hello'))
  await freshRuntime.stop()
  await expect(client.listPrograms()).rejects.toMatchObject({ code: 'network_error' })
  await freshRuntime.start()
  await freshRuntime.kill()
  await freshRuntime.start()
  expect((await client.listPrograms()).items.map(({ id }) => id)).toEqual(['hello'])
})

test('a Program that a test writes to the project is deployed', async ({ freshRuntime }) => {
  freshRuntime.write(
    'programs/written.ts',
    "import { defineProgram } from 'workflow-execution-service'\n" +
      "export default defineProgram({ id: 'written' }, async () => 42)\n",
  )
  await expect
    .poll(async () => (await freshRuntime.client.listPrograms()).items.map(({ id }) => id))
    .toEqual(['written'])
})

test.describe('a test fails when its page', () => {
  test.beforeEach(async ({ page }) => {
    await page.goto('/')
  })

  for (const [what, provoke] of [
    ['writes an error', () => console.error('on purpose')],
    ['writes a warning', () => console.warn('on purpose')],
    ['throws', () => void setTimeout(() => reportError(new Error('on purpose')))],
    ['breaks its CSP', () => document.body.insertAdjacentHTML('beforeend', '<p style="color: red">on purpose</p>')],
    ['asks another origin', () => void fetch('http://localhost:9/').catch(() => {})],
  ] as const) {
    test(what, async ({ page, complaints, allow }) => {
      await page.evaluate(provoke)
      await expect.poll(() => complaints.unexpected().length).toBeGreaterThan(0)
      allow(/./)
    })
  }

  test('but not if the test allows it', async ({ page, allow }) => {
    allow(/404 .*\/v1\/executions\/exe_none/)
    const status = await page.evaluate(async () => (await fetch('/v1/executions/exe_none')).status)
    expect(status).toBe(404)
  })
})
