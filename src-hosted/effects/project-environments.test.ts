import { expect, it } from 'vitest'
import { createProjectEnvironments } from './project-environments.ts'

const PROJECT = { workspaceId: 'wsp_1', projectId: 'prj_1' }
const FRESH_MS = 2_500

it('is read again where its answer is old, because the process has stood still', async () => {
  let at = 0
  const asked: PromiseWithResolvers<Readonly<Record<string, string>>>[] = []
  const ask = () => {
    const question = Promise.withResolvers<Readonly<Record<string, string>>>()
    asked.push(question)
    return question.promise
  }
  const environments = createProjectEnvironments(ask, FRESH_MS, () => at)
  const current = environments.current(PROJECT)
  at += 90_000
  asked[0]!.resolve({ KEY: 'old' })
  await expect.poll(() => asked.length).toBe(2)
  at += 90_000 // a slow database keeps no effect waiting for ever
  asked[1]!.resolve({ KEY: 'new' })
  expect((await current).variables).toEqual({ KEY: 'new' })
  expect(asked).toHaveLength(2)
})
