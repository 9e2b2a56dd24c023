// A new project for each test of the list, on a shared runtime, and actions for the tests.

import type { Locator, Page } from '@playwright/test'
import type { ProgramArtifact } from '../../src-sdk/contract-types.ts'
import { createClient, type ServiceClient } from '../../src-sdk/create-client.ts'
import { test as base } from './fixtures.ts'
import { untilStatus } from './until-status.test-support.ts'

export { axe, expect, takeScreenshots } from './fixtures.ts'

/** Waits for an event, fails with a message, or ends, as its input says. */
const demo = (id: string): ProgramArtifact => ({
  format: 'wes.program/1',
  id,
  program: {
    code: `({ run: async (ctx, input) => {
      if (input.fail) throw new RangeError(input.fail)
      if (input.wait) return { got: await ctx.waitForEvent(input.wait) }
      return input
    } })`,
  },
})

export type Project = {
  readonly id: string
  readonly name: string
  /** Of this project. */
  readonly client: ServiceClient
  /** Returns its id when it has the expected status. */
  readonly start: (input: DemoInput, programId?: string) => Promise<string>
}

type DemoInput = { readonly wait?: string; readonly fail?: string; readonly say?: string }

const DEFAULT = { id: 'default', name: 'Default' }

export const DEMO = 'order-demo'
export const OTHER = 'report-demo'

/** By default the default project. */
export const openProject = async (url: string, { id, name } = DEFAULT, token?: string): Promise<Project> => {
  const client = createClient({ url, token, projectId: id })
  await client.deployProgram(demo(DEMO))
  await client.deployProgram(demo(OTHER))
  return {
    id,
    name,
    client,
    start: async (input, programId = DEMO) => {
      const execution = await client.start(programId, input)
      const status = input.wait === undefined ? (input.fail === undefined ? 'completed' : 'failed') : 'waiting'
      await untilStatus(client, execution.id, status)
      return execution.id
    },
  }
}

/** Shows a project as if the user had selected it. */
export const chooseProject = async (page: Page, projectId: string): Promise<void> => {
  await page.addInitScript((id) => {
    if (localStorage.getItem('wes-preferences') !== null) return
    localStorage.setItem('wes-preferences', JSON.stringify({ state: { projectIds: { local: id } }, version: 3 }))
  }, projectId)
}

let projects = 0

export const test = base.extend<{ readonly project: Project }>({
  project: async ({ runtime, page }, provide) => {
    const name = `list ${process.pid} ${projects++}`
    const { id } = await runtime.client.createProject({ name })
    await chooseProject(page, id)
    await provide(await openProject(runtime.url, { id, name }))
  },
})

export const grid = (page: Page): Locator => page.getByRole('grid', { name: 'Executions' })

/** Of one Execution. */
export const row = (page: Page, id: string): Locator => grid(page).getByRole('row', { name: id })

/** The ids of the rows, from the top. */
export const shownIds = (page: Page): Promise<readonly string[]> =>
  grid(page).getByRole('rowheader').getByRole('link').allTextContents()

/** A point outside the rows. */
export const leaveRows = (page: Page): Promise<void> => page.mouse.move(5, 5)
