import { expect, it } from 'vitest'
import { createTestExecution, fake } from 'workflow-execution-service/testing'
import { chargeCard } from './order-approval.effects.ts'
import orderApproval, { approved } from './order-approval.ts'

const effects = [
  fake(chargeCard, ({ orderId }, { attempt }) => {
    if (attempt === 1) throw new Error('busy')
    return { receipt: `r-${orderId}` }
  }),
]
const order = { orderId: 'o-1', cents: 4200 }

it('charges an approved order, at the second attempt if need be', async () => {
  const run = createTestExecution(orderApproval, order, { effects })
  await run.send(approved, { by: 'Grace' })
  expect(await run.result()).toEqual({ status: 'charged', by: 'Grace', receipt: 'r-o-1' })
})

it('gives up after three days', async () => {
  const run = createTestExecution(orderApproval, order, { effects })
  await run.advance('3 days')
  expect(await run.result()).toEqual({ status: 'expired' })
})
