import { expect, it } from 'vitest'
import { createTestExecution, type FakesOf } from 'workflow-execution-service/testing'
import type * as real from './onboarding.effects.ts'
import onboarding, { profileCompleted } from './onboarding.ts'

const start = () => {
  const sent: string[] = []
  // #region fakes-of
  const effects = {
    sendMail: async ({ template }) => void sent.push(template),
  } satisfies FakesOf<typeof real>
  // #endregion fakes-of
  return { run: createTestExecution(onboarding, { email: 'ada@example.com' }, { effects }), sent }
}

it('ends when the profile is completed at once', async () => {
  const { run, sent } = start()
  await run.send(profileCompleted, { name: 'Ada' })
  expect(await run.result()).toEqual({ status: 'completed', name: 'Ada', reminders: 0 })
  expect(sent).toEqual(['welcome'])
})

it('takes an event that comes after a reminder', async () => {
  const { run, sent } = start()
  await run.advance('25h')
  await run.send(profileCompleted, { name: 'Ada' })
  expect(await run.result()).toEqual({ status: 'completed', name: 'Ada', reminders: 1 })
  expect(sent).toEqual(['welcome', 'reminder'])
})

it('gives up after three days', async () => {
  const { run, sent } = start()
  await run.advance('3 days')
  expect(await run.result()).toEqual({ status: 'given-up' })
  expect(sent).toEqual(['welcome', 'reminder', 'reminder', 'goodbye'])
})
