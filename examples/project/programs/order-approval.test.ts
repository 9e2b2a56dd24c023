// #region first
import { expect, it } from 'vitest'
import { createTestExecution, fake } from 'workflow-execution-service/testing'
import { chargeCard, tellCustomer } from './order-approval.effects.ts'
import orderApproval, { approved } from './order-approval.ts'

const told: string[] = []
const effects = [
  fake(chargeCard, ({ orderId }, { attempt }) => {
    if (attempt <= 2) throw new Error('busy')
    return { receipt: `r-${orderId}`, chargedOnceAs: 'key' }
  }),
  fake(tellCustomer, ({ message }) => void told.push(message)),
]

it('charges an approved order', async () => {
  const run = createTestExecution(orderApproval, { orderId: 'o-1', cents: 4200 }, { effects })
  await run.send(approved, { by: 'Grace' })
  expect(await run.result()).toEqual({ status: 'charged', by: 'Grace', receipt: 'r-o-1' })
})

it('gives up after three days', async () => {
  const run = createTestExecution(orderApproval, { orderId: 'o-2', cents: 4200 }, { effects })
  await run.advance('2 days')
  expect(await run.waitingFor()).toMatchObject([{ kind: 'event', name: 'approved' }])
  await run.advance('1 day')
  expect(await run.result()).toEqual({ status: 'expired' })
  expect(told.at(-1)).toBe('nobody approved it')
})
// #endregion first

// #region retries
it('tries a busy payment provider again', async () => {
  const run = createTestExecution(orderApproval, { orderId: 'o-3', cents: 1 }, { effects })
  await run.send(approved, { by: 'Grace' })
  expect(await run.waitingFor()).toMatchObject([{ kind: 'effect', name: 'chargeCard', attempt: 2 }])
  await run.advance('100ms')
  expect(await run.waitingFor()).toMatchObject([{ kind: 'effect', name: 'chargeCard', attempt: 3 }])
  await run.advance('200ms')
  expect(await run.outcome()).toMatchObject({ status: 'completed', result: { receipt: 'r-o-3' } })
})
// #endregion retries

// #region effect-alone
it('charges at the third attempt, and never less than a cent', async () => {
  await expect(chargeCard({ orderId: 'o-4', cents: 1 })).rejects.toThrow('busy')
  await expect(chargeCard({ orderId: 'o-4', cents: 0 })).rejects.toThrow('0 cents cannot be charged')
})
// #endregion effect-alone
