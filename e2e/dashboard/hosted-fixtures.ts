// The dashboard of a real `wes serve`, at its `/`. All tests of a worker share one service, so each makes a project of its own.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from '@playwright/test'
import type { Project, ProgramArtifact } from '../../src-sdk/contract-types.ts'
import { createClient, type ServiceClient } from '../../src-sdk/create-client.ts'
import { type ServeProcess, startServeProcess } from '../serve-process.test-support.ts'
import { expect, test as base } from './fixtures.ts'

type WorkerFixtures = {
  /** Shared by all tests of a worker, with data of other tests. Who kills it starts it again. */
  readonly hosted: ServeProcess
}

type HostedProject = Project & {
  /** Of an admin, in this project. */
  readonly client: ServiceClient
  /** The address of a screen in this project, such as `programs`. */
  readonly at: (screen: string) => string
}

type TestFixtures = {
  /** Of an admin, in the default project. */
  readonly admin: ServiceClient
  /** A new project of this test. */
  readonly project: HostedProject
}

export const test = base.extend<TestFixtures, WorkerFixtures>({
  hosted: [
    // oxlint-disable-next-line no-empty-pattern -- Playwright reads the names of the fixtures from the pattern
    async ({}, provide) => {
      const service = await startServeProcess()
      await provide(service)
      await service.dispose()
    },
    { scope: 'worker', timeout: 120_000 },
  ],
  admin: async ({ hosted, complaints }, provide) => {
    complaints.own(hosted.url)
    complaints.allow(/status of 401/)
    await provide(createClient({ url: hosted.url, token: hosted.token }))
    complaints.end()
  },
  project: async ({ hosted, admin }, provide, { testId }) => {
    const project = await admin.createProject({ name: `test ${testId.slice(-8)}` })
    await provide({
      ...project,
      client: createClient({ url: hosted.url, token: hosted.token, projectId: project.id }),
      at: (screen) => `${hosted.url}/p/${project.id}/${screen}`,
    })
  },
})

/** A Program of the examples that has no effects. */
export const artifact = (name: string): ProgramArtifact =>
  JSON.parse(
    readFileSync(join(import.meta.dirname, `../../examples/artifacts/${name}.program.json`), 'utf8'),
  ) as ProgramArtifact

/** Gives the browser a session, as the form does; `enter` uses the form. */
export const signIn = async (page: Page, hosted: ServeProcess, token = hosted.token): Promise<void> => {
  const answer = await page.request.post(`${hosted.url}/session`, { data: { token }, headers: { origin: hosted.url } })
  expect(answer.status()).toBe(204)
}

export const tokenField = (page: Page) => page.getByLabel('Token')

/** Types a token into the form, and sends it. */
export const enter = async (page: Page, token: string): Promise<void> => {
  await tokenField(page).fill(token)
  await page.getByRole('button', { name: 'Sign in' }).click()
}

/** Sets a variable on the Environment screen, and closes the dialog before the answer comes, which the caller must hold. */
export const setBeforeAnswer = async (page: Page, name: string): Promise<void> => {
  await page.getByRole('button', { name: 'Add variable' }).click()
  const add = page.getByRole('dialog', { name: 'Add variable' })
  await add.getByLabel('Name').fill(name)
  await add.getByLabel('Value').fill('x')
  const sent = page.waitForRequest((request) => request.method() !== 'GET' && request.url().endsWith('/environment'))
  await add.getByRole('button', { name: 'Set value' }).click()
  await sent
  await add.getByRole('button', { name: 'Close' }).last().click()
}
