import { NonRetryableError } from 'workflow-execution-service'
import { createTestExecution, fake } from 'workflow-execution-service/testing'
import { expect, it } from 'vitest'
import { charge, warnAccounting } from './payment.effects.ts'
import payment from './payment.ts'

const start = (answer: (attempt: number) => { receipt: string } | Promise<{ receipt: string }>) => {
  const warnings: string[] = []
  const effects = [
    fake(charge, (_, { attempt }) => answer(attempt)),
    fake(warnAccounting, ({ because }) => void warnings.push(because)),
  ]
  return { run: createTestExecution(payment, { orderId: 'o-1', cents: 5 }, { effects }), warnings }
}

it('is attempted six times, over 70 seconds', async () => {
  const { run, warnings } = start((attempt) => {
    throw new Error(`no ${attempt}`)
  })
  expect(await run.result()).toEqual({ receipt: null })
  expect(warnings).toEqual(['no 6'])
  expect(run.now().toISOString()).toBe('2026-01-01T00:01:10.000Z')
})

it('is not retried when the card was declined', async () => {
  const { run, warnings } = start(() => {
    throw new NonRetryableError('the card was declined')
  })
  expect(await run.result()).toEqual({ receipt: null })
  expect(warnings).toEqual(['the card was declined'])
  expect(run.now().toISOString()).toBe('2026-01-01T00:00:00.000Z')
})

// #region timeout
it('is tried again when it takes longer than its timeout', async () => {
  const { run } = start((attempt) => (attempt === 1 ? new Promise(() => {}) : { receipt: 'r-2' }))
  await run.advance('20s')
  expect(await run.waitingFor()).toMatchObject([{ kind: 'effect', name: 'charge', attempt: 2 }])
  expect(await run.result()).toEqual({ receipt: 'r-2' })
})
// #endregion timeout
