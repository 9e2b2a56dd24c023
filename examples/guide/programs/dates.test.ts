import { createTestExecution } from 'workflow-execution-service/testing'
import { expect, it } from 'vitest'
import dates from './dates.ts'

it('is the same each time', async () => {
  const [first, second] = await Promise.all([1, 2].map(() => createTestExecution(dates).result()))
  expect(first).toEqual(second)
  expect(first).toEqual({ ticket: expect.stringMatching(/^[0-9a-f-]{36}$/), tookMs: 86_400_000 })
})
